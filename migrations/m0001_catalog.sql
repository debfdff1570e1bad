-- Tenants, settings, tables and keys. Times are milliseconds since 1970. See docs/architecture.md.

CREATE TABLE tenant (
    id TEXT NOT NULL PRIMARY KEY CHECK (id GLOB '[a-z0-9]*' AND length(id) <= 64),
    created_at INTEGER NOT NULL,
    -- Counts the writes of drafts and suites, so that a version is never reused, not even after a deletion.
    counter INTEGER NOT NULL DEFAULT 0,
    -- An archived tenant answers no links and cannot be changed. A removed tenant has no tables, drafts, suites and hosts
    -- any more; its name stays taken, because the log still has its events.
    archived_at INTEGER,
    removed_at INTEGER CHECK (removed_at IS NULL OR archived_at IS NOT NULL),
    -- The bytes of audit rows that the tenant's keys have caused on the day `audit_day` (days since 1970).
    audit_day INTEGER,
    audit_bytes INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Every version of a tenant's settings; the live one has the highest revision.
CREATE TABLE settings (
    tenant TEXT NOT NULL REFERENCES tenant (id),
    revision INTEGER NOT NULL CHECK (revision >= 1),
    content TEXT NOT NULL CHECK (json_valid(content)),
    bytes INTEGER NOT NULL, -- of the content
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, revision)
) STRICT;

-- The hosts and schemes of the live settings. Each host and scheme has one owner per server.
CREATE TABLE domain (
    host TEXT NOT NULL,
    port INTEGER NOT NULL CHECK (port BETWEEN 0 AND 65535), -- 0: the scheme's default port
    covers_subdomains INTEGER NOT NULL CHECK (covers_subdomains IN (0, 1)),
    tenant TEXT NOT NULL REFERENCES tenant (id),
    PRIMARY KEY (host, port, covers_subdomains)
) STRICT, WITHOUT ROWID;
CREATE INDEX domain_by_tenant ON domain (tenant);

CREATE TABLE scheme (
    name TEXT NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL REFERENCES tenant (id),
    environment TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX scheme_by_tenant ON scheme (tenant);

-- The key of each tenant whose settings request install ids, now or earlier. It never changes: events with ids of
-- another key could be neither counted together nor erased.
CREATE TABLE install_key (
    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id),
    key BLOB NOT NULL CHECK (length(key) = 32),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Tables.

CREATE TABLE draft (
    tenant TEXT NOT NULL REFERENCES tenant (id),
    environment TEXT NOT NULL,
    name TEXT NOT NULL,
    base_revision INTEGER,
    version INTEGER NOT NULL CHECK (version >= 1),
    content TEXT NOT NULL CHECK (json_valid(content)),
    updated_at INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    -- Properties that are queried without reading the content.
    route_count INTEGER NOT NULL,
    content_hash TEXT NOT NULL CHECK (length(content_hash) = 64),
    content_bytes INTEGER NOT NULL,
    -- The id of the actor that created the draft, until another actor writes it.
    only_author TEXT,
    PRIMARY KEY (tenant, environment, name)
) STRICT;

CREATE TABLE suite (
    tenant TEXT NOT NULL REFERENCES tenant (id),
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    content TEXT NOT NULL, -- as written, YAML or JSON
    bytes INTEGER NOT NULL, -- of the content
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

-- Published tables. Numbers are never reused, and contents never change.
CREATE TABLE revision (
    tenant TEXT NOT NULL REFERENCES tenant (id),
    number INTEGER NOT NULL CHECK (number >= 1),
    environment TEXT NOT NULL,
    parent INTEGER,
    content_hash TEXT NOT NULL CHECK (length(content_hash) = 64),
    route_count INTEGER NOT NULL,
    message TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    published_at INTEGER NOT NULL,
    -- 'draft', or 'rollback' or 'promotion' of the revision origin_number.
    origin TEXT NOT NULL DEFAULT 'draft',
    origin_number INTEGER,
    approvals TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(approvals)),
    -- The reason for publishing in spite of failing suites.
    override_reason TEXT,
    PRIMARY KEY (tenant, number)
) STRICT;
CREATE INDEX revision_by_content ON revision (tenant, content_hash);

-- The tables of revisions, each stored once for a tenant. `bytes` comes before the content, so that a sum reads no
-- tables.
CREATE TABLE revision_content (
    tenant TEXT NOT NULL REFERENCES tenant (id),
    hash TEXT NOT NULL CHECK (length(hash) = 64),
    bytes INTEGER NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (tenant, hash)
) STRICT;
CREATE INDEX revision_content_by_tenant ON revision_content (tenant, bytes);

-- The last revision with a content takes it along.
CREATE TRIGGER revision_deleted AFTER DELETE ON revision
WHEN NOT EXISTS (SELECT 1 FROM revision WHERE tenant = old.tenant AND content_hash = old.content_hash) BEGIN
    DELETE FROM revision_content WHERE tenant = old.tenant AND hash = old.content_hash;
END;

CREATE TABLE live (
    tenant TEXT NOT NULL REFERENCES tenant (id),
    environment TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (tenant, environment),
    FOREIGN KEY (tenant, number) REFERENCES revision (tenant, number)
) STRICT, WITHOUT ROWID;

-- Keys.

CREATE TABLE api_key (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 12),
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    tenant TEXT REFERENCES tenant (id), -- NULL: all tenants
    scopes TEXT NOT NULL CHECK (json_valid(scopes)),
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    -- NULL: not limited.
    environments TEXT CHECK (environments IS NULL OR json_valid(environments)),
    owners TEXT CHECK (owners IS NULL OR json_valid(owners)),
    path_prefixes TEXT CHECK (path_prefixes IS NULL OR json_valid(path_prefixes)),
    revoked_at INTEGER,
    last_used_at INTEGER, -- to the hour
    -- The key that created this one, and the key that it replaces. NULL for keys that were created on the machine itself.
    created_by TEXT,
    replaces TEXT,
    -- The limits to routes of the keys that created this one, directly and indirectly: a JSON array of {owners,
    -- pathPrefixes}.
    creator_limits TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(creator_limits))
) STRICT, WITHOUT ROWID;
CREATE INDEX api_key_by_creator ON api_key (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX api_key_by_tenant ON api_key (tenant, created_at);
CREATE INDEX api_key_by_tenant_not_revoked ON api_key (tenant, expires_at) WHERE revoked_at IS NULL;
CREATE INDEX api_key_by_end
    ON api_key (coalesce(CASE WHEN revoked_at < expires_at THEN revoked_at ELSE expires_at END, revoked_at));

-- The ids of keys that ended 30 days ago. None is given again, and a revocation finds what they created.
CREATE TABLE ended_key (
    id TEXT NOT NULL PRIMARY KEY,
    created_by TEXT,
    replaces TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX ended_key_by_creator ON ended_key (created_by) WHERE created_by IS NOT NULL;
CREATE TRIGGER ended_id_is_not_given_again BEFORE INSERT ON api_key
WHEN EXISTS (SELECT 1 FROM ended_key WHERE id = new.id)
BEGIN SELECT raise(ABORT, 'the id of an ended key is not given again'); END;

-- The keys of sealed tokens, one ring for each kind of token.
CREATE TABLE sealing_key (
    id INTEGER PRIMARY KEY,
    ring TEXT NOT NULL CHECK (ring IN ('continuation', 'install')),
    key BLOB NOT NULL CHECK (length(key) = 32),
    created_at INTEGER NOT NULL
) STRICT;

-- Changes.

-- before and after describe the change if it is small: numbers, hashes, grants. hash covers the row and the previous
-- hash.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('key', 'person', 'system')),
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    action TEXT NOT NULL,
    tenant TEXT,
    environment TEXT,
    subject TEXT NOT NULL,
    before TEXT CHECK (before IS NULL OR json_valid(before)),
    after TEXT CHECK (after IS NULL OR json_valid(after)),
    request_id TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE INDEX audit_by_tenant ON audit (tenant, id);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'audit rows are not changed'); END;
CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit BEGIN SELECT raise(ABORT, 'audit rows are not removed'); END;

-- The newest row of the audit log, one row. Every change of the catalog moves it, so its id is the catalog's version, and
-- rows that are missing at the end of the log are noticed.
CREATE TABLE audit_head (
    id INTEGER NOT NULL,
    hash BLOB -- NULL before the first change
) STRICT;
INSERT INTO audit_head (id, hash) VALUES (0, NULL);
CREATE TRIGGER audit_head_is_not_removed BEFORE DELETE ON audit_head
BEGIN SELECT raise(ABORT, 'the head of the audit log is not removed'); END;

-- The catalog that this file is a copy of, and the history of it that was accepted last; no row if it is a catalog itself.
CREATE TABLE copy_of (
    source TEXT NOT NULL PRIMARY KEY,
    accepted TEXT,
    schema INTEGER NOT NULL DEFAULT 0 -- the user_version with which all rows were copied
) STRICT, WITHOUT ROWID;

-- Histories that an operator has accepted, of a catalog that nodes follow. Empty in a file.
CREATE TABLE accepted_history (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL
) STRICT;

-- Responses to requests with an Idempotency-Key, kept for a day. status is NULL while the first request is in progress.
CREATE TABLE repeated_request (
    actor TEXT NOT NULL,
    key TEXT NOT NULL,
    -- NULL if the request's path names no tenant.
    tenant TEXT,
    request_hash BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    status INTEGER,
    headers TEXT CHECK (headers IS NULL OR json_valid(headers)),
    body BLOB,
    PRIMARY KEY (actor, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX repeated_request_by_time ON repeated_request (created_at);
CREATE INDEX repeated_request_by_tenant ON repeated_request (tenant, created_at);
CREATE INDEX repeated_request_by_actor ON repeated_request (actor, created_at);

-- People who have signed in to the console with a key. The token is in their browser only: here are its hash, and the key, which
-- the token opens.
CREATE TABLE session (
    hash BLOB PRIMARY KEY,
    key_id TEXT NOT NULL,
    sealed_key BLOB NOT NULL,
    -- Whether the token is in a link that signs in once.
    is_link INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_key ON session (key_id, created_at);
