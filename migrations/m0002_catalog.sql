-- Named drafts, suites, origins of revisions, limited keys, a hash chain in the audit, idempotent requests.

-- Counts the writes of drafts and suites, so that a version is never reused, not even after a deletion.
ALTER TABLE tenant ADD COLUMN counter INTEGER NOT NULL DEFAULT 0;
UPDATE tenant SET counter = (SELECT coalesce(max(version), 0) FROM draft WHERE draft.tenant = tenant.id);

ALTER TABLE draft ADD COLUMN actor_kind TEXT NOT NULL DEFAULT 'system';
ALTER TABLE draft ADD COLUMN actor_id TEXT NOT NULL DEFAULT '';
ALTER TABLE draft ADD COLUMN actor_name TEXT NOT NULL DEFAULT '';

-- origin: 'draft', or 'rollback' or 'promotion' of the revision origin_number.
ALTER TABLE revision ADD COLUMN origin TEXT NOT NULL DEFAULT 'draft';
ALTER TABLE revision ADD COLUMN origin_number INTEGER;
ALTER TABLE revision ADD COLUMN approvals TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(approvals));
-- The reason for publishing in spite of failing suites.
ALTER TABLE revision ADD COLUMN override_reason TEXT;

CREATE TABLE suite (
    tenant TEXT NOT NULL REFERENCES tenant (id),
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    content TEXT NOT NULL, -- as written, YAML or JSON
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

-- NULL: not limited.
ALTER TABLE api_key ADD COLUMN environments TEXT CHECK (environments IS NULL OR json_valid(environments));
ALTER TABLE api_key ADD COLUMN owners TEXT CHECK (owners IS NULL OR json_valid(owners));
ALTER TABLE api_key ADD COLUMN path_prefixes TEXT CHECK (path_prefixes IS NULL OR json_valid(path_prefixes));
ALTER TABLE api_key ADD COLUMN revoked_at INTEGER;
ALTER TABLE api_key ADD COLUMN last_used_at INTEGER; -- to the hour

-- before and after describe the change if it is small: numbers, hashes, grants. hash covers the row and the previous
-- hash.
ALTER TABLE audit ADD COLUMN environment TEXT;
ALTER TABLE audit ADD COLUMN before TEXT CHECK (before IS NULL OR json_valid(before));
ALTER TABLE audit ADD COLUMN after TEXT CHECK (after IS NULL OR json_valid(after));
ALTER TABLE audit ADD COLUMN hash BLOB; -- NULL: written before the hash chain existed
-- The first row that must have a hash.
CREATE TABLE audit_chain (first INTEGER NOT NULL) STRICT;
INSERT INTO audit_chain SELECT coalesce(max(id), 0) + 1 FROM audit;
CREATE INDEX audit_by_tenant ON audit (tenant, id);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'audit rows are not changed'); END;
CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit BEGIN SELECT raise(ABORT, 'audit rows are not removed'); END;

-- Responses to requests with an Idempotency-Key, kept for a day. status is NULL while the first request is in progress.
CREATE TABLE repeated_request (
    actor TEXT NOT NULL,
    key TEXT NOT NULL,
    request_hash BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    status INTEGER,
    headers TEXT CHECK (headers IS NULL OR json_valid(headers)),
    body BLOB,
    PRIMARY KEY (actor, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX repeated_request_by_time ON repeated_request (created_at);
