-- The catalog in PostgreSQL: the tables of m0001_catalog.sql, with the same columns and constraints. Texts sort by bytes,
-- as in SQLite. Times are milliseconds since 1970. See docs/fleet.md.

-- The schema. `oldest` is the oldest program, as the number of the migrations that it knows, that can use it.
CREATE TABLE fingerpost_schema (
    only_row BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (only_row),
    version INTEGER NOT NULL,
    oldest INTEGER NOT NULL,
    baseline TEXT NOT NULL
);

CREATE TABLE tenant (
    id TEXT COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z0-9]' AND length(id) <= 64),
    created_at BIGINT NOT NULL,
    counter BIGINT NOT NULL DEFAULT 0,
    archived_at BIGINT,
    removed_at BIGINT CHECK (removed_at IS NULL OR archived_at IS NOT NULL),
    audit_day BIGINT,
    audit_bytes BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE settings (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    revision BIGINT NOT NULL CHECK (revision >= 1),
    content TEXT NOT NULL CHECK (content::json IS NOT NULL),
    bytes BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, revision)
);

CREATE TABLE domain (
    host TEXT COLLATE "C" NOT NULL,
    port INTEGER NOT NULL CHECK (port BETWEEN 0 AND 65535),
    covers_subdomains SMALLINT NOT NULL CHECK (covers_subdomains IN (0, 1)),
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    PRIMARY KEY (host, port, covers_subdomains)
);
CREATE INDEX domain_by_tenant ON domain (tenant);

CREATE TABLE scheme (
    name TEXT COLLATE "C" PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    environment TEXT NOT NULL
);
CREATE INDEX scheme_by_tenant ON scheme (tenant);

CREATE TABLE install_key (
    tenant TEXT COLLATE "C" PRIMARY KEY REFERENCES tenant (id),
    key BYTEA NOT NULL CHECK (length(key) = 32),
    created_at BIGINT NOT NULL
);

-- Tables.

CREATE TABLE draft (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    environment TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    base_revision BIGINT,
    version BIGINT NOT NULL CHECK (version >= 1),
    content TEXT NOT NULL CHECK (content::json IS NOT NULL),
    updated_at BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    route_count BIGINT NOT NULL,
    content_hash TEXT NOT NULL CHECK (length(content_hash) = 64),
    content_bytes BIGINT NOT NULL,
    only_author TEXT,
    PRIMARY KEY (tenant, environment, name)
);

CREATE TABLE suite (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    name TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    content TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, name)
);

CREATE TABLE revision (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    number BIGINT NOT NULL CHECK (number >= 1),
    environment TEXT COLLATE "C" NOT NULL,
    parent BIGINT,
    content_hash TEXT COLLATE "C" NOT NULL CHECK (length(content_hash) = 64),
    route_count BIGINT NOT NULL,
    message TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    published_at BIGINT NOT NULL,
    origin TEXT NOT NULL DEFAULT 'draft',
    origin_number BIGINT,
    approvals TEXT NOT NULL DEFAULT '[]' CHECK (approvals::json IS NOT NULL),
    override_reason TEXT,
    PRIMARY KEY (tenant, number)
);
CREATE INDEX revision_by_content ON revision (tenant, content_hash);

CREATE TABLE revision_content (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    hash TEXT COLLATE "C" NOT NULL CHECK (length(hash) = 64),
    bytes BIGINT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (tenant, hash)
);

CREATE FUNCTION remove_unused_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM revision_content WHERE tenant = old.tenant AND hash = old.content_hash
        AND NOT EXISTS (SELECT 1 FROM revision WHERE tenant = old.tenant AND content_hash = old.content_hash);
    RETURN NULL;
END $$;
CREATE TRIGGER revision_deleted AFTER DELETE ON revision FOR EACH ROW EXECUTE FUNCTION remove_unused_content();

CREATE TABLE live (
    tenant TEXT COLLATE "C" NOT NULL REFERENCES tenant (id),
    environment TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (tenant, environment),
    FOREIGN KEY (tenant, number) REFERENCES revision (tenant, number)
);

-- Keys.

CREATE TABLE api_key (
    id TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 12),
    secret_hash BYTEA NOT NULL CHECK (length(secret_hash) = 32),
    tenant TEXT COLLATE "C" REFERENCES tenant (id),
    scopes TEXT NOT NULL CHECK (scopes::json IS NOT NULL),
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    environments TEXT CHECK (environments IS NULL OR environments::json IS NOT NULL),
    owners TEXT CHECK (owners IS NULL OR owners::json IS NOT NULL),
    path_prefixes TEXT CHECK (path_prefixes IS NULL OR path_prefixes::json IS NOT NULL),
    revoked_at BIGINT,
    last_used_at BIGINT,
    created_by TEXT COLLATE "C",
    replaces TEXT COLLATE "C",
    creator_limits TEXT NOT NULL DEFAULT '[]' CHECK (creator_limits::json IS NOT NULL)
);
CREATE INDEX api_key_by_creator ON api_key (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX api_key_by_tenant ON api_key (tenant, created_at);
CREATE INDEX api_key_by_end
    ON api_key (coalesce(CASE WHEN revoked_at < expires_at THEN revoked_at ELSE expires_at END, revoked_at));

CREATE TABLE ended_key (
    id TEXT COLLATE "C" PRIMARY KEY,
    created_by TEXT COLLATE "C",
    replaces TEXT COLLATE "C"
);
CREATE INDEX ended_key_by_creator ON ended_key (created_by) WHERE created_by IS NOT NULL;

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', tg_argv[0];
END $$;

CREATE FUNCTION refuse_ended_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM ended_key WHERE id = new.id) THEN
        RAISE EXCEPTION 'the id of an ended key is not given again';
    END IF;
    RETURN new;
END $$;
CREATE TRIGGER ended_id_is_not_given_again BEFORE INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION refuse_ended_id();

CREATE TABLE sealing_key (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ring TEXT NOT NULL CHECK (ring IN ('continuation', 'install')),
    key BYTEA NOT NULL CHECK (length(key) = 32),
    created_at BIGINT NOT NULL
);

-- Changes.

CREATE TABLE audit (
    id BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('key', 'person', 'system')),
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    action TEXT NOT NULL,
    tenant TEXT COLLATE "C",
    environment TEXT,
    subject TEXT NOT NULL,
    before TEXT CHECK (before IS NULL OR before::json IS NOT NULL),
    after TEXT CHECK (after IS NULL OR after::json IS NOT NULL),
    request_id TEXT NOT NULL,
    hash BYTEA NOT NULL
);
CREATE INDEX audit_by_tenant ON audit (tenant, id);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse('audit rows are not changed');
CREATE TRIGGER audit_is_not_removed BEFORE DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse('audit rows are not removed');

-- Every transaction that writes locks this row first, so that those of all nodes come one after another.
CREATE TABLE audit_head (
    id BIGINT NOT NULL,
    hash BYTEA
);
INSERT INTO audit_head (id, hash) VALUES (0, NULL);
CREATE TRIGGER audit_head_is_not_removed BEFORE DELETE OR TRUNCATE ON audit_head
    FOR EACH STATEMENT EXECUTE FUNCTION refuse('the head of the audit log is not removed');

CREATE TABLE repeated_request (
    actor TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    tenant TEXT COLLATE "C",
    request_hash BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    status INTEGER,
    headers TEXT CHECK (headers IS NULL OR headers::json IS NOT NULL),
    body BYTEA,
    PRIMARY KEY (actor, key)
);
CREATE INDEX repeated_request_by_time ON repeated_request (created_at);
CREATE INDEX repeated_request_by_tenant ON repeated_request (tenant, created_at);
CREATE INDEX repeated_request_by_actor ON repeated_request (actor, created_at);
