-- The catalog in PostgreSQL: the tables of m0001_catalog.sql, with the same columns and constraints. Texts sort by bytes,
-- as in SQLite. Times are milliseconds since 1970. See docs/fleet.md.

-- The schema. `oldest` is the oldest program, as the number of the migrations that it knows, that can use it.
CREATE TABLE fingerpost_schema (
    only_row BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (only_row),
    version INTEGER NOT NULL,
    oldest INTEGER NOT NULL,
    baseline TEXT NOT NULL
);

-- The store from which `fingerpost store copy` has not copied everything yet. No node starts then.
CREATE TABLE copy_of (
    source TEXT NOT NULL PRIMARY KEY
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
    id BIGINT PRIMARY KEY,
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

-- The nodes and when they last reported. A node that is gone for good is removed by `fingerpost fleet forget`.
CREATE TABLE node (
    name TEXT COLLATE "C" PRIMARY KEY,
    seen_at BIGINT NOT NULL,
    version TEXT NOT NULL,
    catalog BIGINT NOT NULL, -- the number of the last change of the catalog that it has
    links BIGINT NOT NULL -- the number of the last change of short links that it has
);

-- Histories that an operator has accepted although they lack changes which nodes have. Each node follows the last one.
CREATE TABLE accepted_history (
    number BIGINT PRIMARY KEY,
    id TEXT NOT NULL
);

-- The key that pseudonymises addresses of a day, encrypted with a key that only nodes have.
CREATE TABLE address_key (
    day TEXT COLLATE "C" PRIMARY KEY,
    sealed BYTEA NOT NULL
);

-- A row without a status is a request in progress. Its owner is a node, whose lease ends after ten minutes, which no request takes.
CREATE TABLE repeated_request (
    actor TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    tenant TEXT COLLATE "C",
    request_hash BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    status INTEGER,
    headers TEXT CHECK (headers IS NULL OR headers::json IS NOT NULL),
    body BYTEA,
    owner TEXT,
    lease BIGINT,
    PRIMARY KEY (actor, key)
);
CREATE INDEX repeated_request_by_time ON repeated_request (created_at);
CREATE INDEX repeated_request_by_tenant ON repeated_request (tenant, created_at);
CREATE INDEX repeated_request_by_actor ON repeated_request (actor, created_at);

-- Short links. Clicks and lists read each node's copy, which has the same columns, so the indexes are those of changes.

CREATE TABLE link_tenant (
    id BIGINT PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    links BIGINT NOT NULL DEFAULT 0 CHECK (links >= 0),
    app_links BIGINT NOT NULL DEFAULT 0 CHECK (app_links >= 0)
);

CREATE TABLE short_link (
    id BIGINT PRIMARY KEY,
    tenant BIGINT NOT NULL REFERENCES link_tenant (id),
    code TEXT COLLATE "C" NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    content TEXT NOT NULL CHECK (content::json IS NOT NULL),
    expires BIGINT,
    status TEXT COLLATE "C" NOT NULL CHECK (status IN ('active', 'archived', 'blocked')),
    block_reason TEXT CHECK (status = 'archived' OR (block_reason IS NULL) = (status != 'blocked')),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    version BIGINT NOT NULL CHECK (version >= 1),
    install BYTEA,
    from_app SMALLINT NOT NULL CHECK (from_app IN (0, 1)),
    reuse BIGINT NOT NULL,
    change BIGINT NOT NULL UNIQUE, -- the number of the row's last change
    UNIQUE (tenant, code)
);
CREATE INDEX short_link_by_reuse ON short_link (tenant, reuse, from_app, status, id);
CREATE INDEX short_link_by_install ON short_link (tenant, install) WHERE install IS NOT NULL;
CREATE INDEX short_link_by_end ON short_link (expires) WHERE from_app = 1;

CREATE TABLE short_link_change (
    link BIGINT NOT NULL,
    version BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    content TEXT NOT NULL CHECK (content::json IS NOT NULL),
    PRIMARY KEY (link, version)
);

-- Numbers the changed rows. A number is taken under the lock of audit_head, which is held until the commit: otherwise a
-- later number could become visible before an earlier one, and a reader that continues after the last one would miss rows.
CREATE SEQUENCE link_number;

-- The last transactions that changed links, each with the number of its last row.
CREATE TABLE link_commit (
    number BIGINT PRIMARY KEY,
    id TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX link_commit_by_time ON link_commit (at);

CREATE FUNCTION number_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM audit_head FOR UPDATE;
    new.change := nextval('link_number');
    new.id := coalesce(new.id, new.change);
    RETURN new;
END $$;
CREATE TRIGGER short_link_numbered BEFORE INSERT OR UPDATE ON short_link FOR EACH ROW EXECUTE FUNCTION number_link();

-- Once for each statement: many versions of one row within a transaction are slow.
CREATE FUNCTION count_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE link_tenant SET links = links + count, app_links = app_links + apps
        FROM (SELECT tenant, count(*) AS count, sum(from_app) AS apps FROM added GROUP BY tenant) AS sums
        WHERE id = sums.tenant;
    RETURN NULL;
END $$;
CREATE TRIGGER short_link_added AFTER INSERT ON short_link REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_added();

CREATE FUNCTION count_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE link_tenant SET links = links - count, app_links = app_links - apps
        FROM (SELECT tenant, count(*) AS count, sum(from_app) AS apps FROM removed GROUP BY tenant) AS sums
        WHERE id = sums.tenant;
    DELETE FROM short_link_change WHERE link IN (SELECT id FROM removed);
    RETURN NULL;
END $$;
CREATE TRIGGER short_link_removed AFTER DELETE ON short_link REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION count_removed();
