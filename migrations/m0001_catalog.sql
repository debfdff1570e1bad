-- Tenants, settings, tables and keys. See docs/architecture.md.

CREATE TABLE tenant (
    id TEXT NOT NULL PRIMARY KEY CHECK (id GLOB '[a-z0-9]*' AND length(id) <= 64),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every version of a tenant's settings; the live one has the highest revision.
CREATE TABLE settings (
    tenant TEXT NOT NULL REFERENCES tenant (id),
    revision INTEGER NOT NULL CHECK (revision >= 1),
    content TEXT NOT NULL CHECK (json_valid(content)),
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

CREATE TABLE draft (
    tenant TEXT NOT NULL REFERENCES tenant (id),
    environment TEXT NOT NULL,
    name TEXT NOT NULL,
    base_revision INTEGER,
    version INTEGER NOT NULL CHECK (version >= 1),
    content TEXT NOT NULL CHECK (json_valid(content)),
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, environment, name)
) STRICT;

-- Published tables. Numbers are never reused, and contents never change.
CREATE TABLE revision (
    tenant TEXT NOT NULL REFERENCES tenant (id),
    number INTEGER NOT NULL CHECK (number >= 1),
    environment TEXT NOT NULL,
    parent INTEGER,
    content TEXT NOT NULL CHECK (json_valid(content)),
    content_hash TEXT NOT NULL CHECK (length(content_hash) = 64),
    route_count INTEGER NOT NULL,
    message TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    published_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, number)
) STRICT;

CREATE TABLE live (
    tenant TEXT NOT NULL REFERENCES tenant (id),
    environment TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (tenant, environment),
    FOREIGN KEY (tenant, number) REFERENCES revision (tenant, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE api_key (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 12),
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    tenant TEXT REFERENCES tenant (id), -- NULL: all tenants
    scopes TEXT NOT NULL CHECK (json_valid(scopes)),
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE continuation_key (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL CHECK (length(key) = 32),
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('key', 'person', 'system')),
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    action TEXT NOT NULL,
    tenant TEXT,
    subject TEXT NOT NULL,
    request_id TEXT NOT NULL
) STRICT;
