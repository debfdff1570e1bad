-- Short links and their history. Times are milliseconds since 1970.

-- The tenants that have had links, with the number of their links. `app_links` of them were created by apps.
CREATE TABLE link_tenant (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    links INTEGER NOT NULL DEFAULT 0 CHECK (links >= 0),
    app_links INTEGER NOT NULL DEFAULT 0 CHECK (app_links >= 0)
) STRICT;

CREATE TABLE short_link (
    id INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL REFERENCES link_tenant (id),
    code TEXT NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    content TEXT NOT NULL CHECK (json_valid(content)), -- {target, title, note, tags, utm, preview}
    expires INTEGER,
    status TEXT NOT NULL CHECK (status IN ('active', 'archived', 'blocked')),
    block_reason TEXT CHECK (status = 'archived' OR (block_reason IS NULL) = (status != 'blocked')),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    actor_kind TEXT NOT NULL, -- of the creation
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    install BLOB, -- the hash of the install whose app created the link
    from_app INTEGER NOT NULL CHECK (from_app IN (0, 1)),
    reuse INTEGER NOT NULL, -- 64 bits of the hash of target, utm and install
    UNIQUE (tenant, code)
) STRICT;
-- For codes in other letter case. Random codes have no capital letters, so the index stays small.
CREATE INDEX short_link_by_folded_code ON short_link (tenant, code COLLATE NOCASE, id) WHERE code GLOB '*[A-Z]*';
CREATE INDEX short_link_by_time ON short_link (tenant, created_at, id);
-- With from_app, so that apps' links are passed over in the index.
CREATE INDEX short_link_by_status ON short_link (tenant, status, created_at, id, from_app);
CREATE INDEX short_link_by_reuse ON short_link (tenant, reuse, from_app, status, id);
CREATE INDEX short_link_by_install ON short_link (tenant, install, created_at) WHERE install IS NOT NULL;
-- For the deletion of apps' links that have expired.
CREATE INDEX short_link_by_end ON short_link (expires) WHERE from_app = 1;

CREATE TABLE short_link_tag (
    tenant INTEGER NOT NULL,
    tag TEXT NOT NULL,
    created_at INTEGER NOT NULL, -- of the link, which never changes
    link INTEGER NOT NULL,
    PRIMARY KEY (tenant, tag, created_at, link)
) STRICT, WITHOUT ROWID;

-- The last changes of a link, each with the content and status after it. A link that was never changed has none.
CREATE TABLE short_link_change (
    link INTEGER NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    content TEXT NOT NULL CHECK (json_valid(content)),
    PRIMARY KEY (link, version)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER short_link_created AFTER INSERT ON short_link BEGIN
    UPDATE link_tenant SET links = links + 1, app_links = app_links + new.from_app WHERE id = new.tenant;
    INSERT OR IGNORE INTO short_link_tag
        SELECT new.tenant, value, new.created_at, new.id FROM json_each(new.content, '$.tags');
END;

CREATE TRIGGER short_link_changed AFTER UPDATE OF content ON short_link
WHEN json_extract(old.content, '$.tags') IS NOT json_extract(new.content, '$.tags') BEGIN
    DELETE FROM short_link_tag
        WHERE tenant = old.tenant AND tag IN (SELECT value FROM json_each(old.content, '$.tags'))
        AND created_at = old.created_at AND link = old.id;
    INSERT OR IGNORE INTO short_link_tag
        SELECT new.tenant, value, new.created_at, new.id FROM json_each(new.content, '$.tags');
END;

CREATE TRIGGER short_link_deleted AFTER DELETE ON short_link BEGIN
    UPDATE link_tenant SET links = links - 1, app_links = app_links - old.from_app WHERE id = old.tenant;
    DELETE FROM short_link_tag
        WHERE tenant = old.tenant AND tag IN (SELECT value FROM json_each(old.content, '$.tags'))
        AND created_at = old.created_at AND link = old.id;
    DELETE FROM short_link_change WHERE link = old.id;
END;

-- A node's copy of the links in PostgreSQL: which rows it has (see ShortLinkReplica.swift), and the ends of apps' links that
-- clicks on this node have moved and PostgreSQL does not know yet.
CREATE TABLE link_position (
    number INTEGER NOT NULL,
    commit_number INTEGER NOT NULL,
    commit_id TEXT NOT NULL,
    is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),
    accepted TEXT, -- the history that was accepted last
    schema INTEGER NOT NULL DEFAULT 0 -- the user_version with which all rows were copied
) STRICT;

CREATE TABLE unsent_end (
    link INTEGER PRIMARY KEY,
    expires INTEGER NOT NULL
) STRICT;
