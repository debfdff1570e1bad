-- The tables of revisions, each stored once for a tenant. `bytes` comes before the content, so that a sum reads no
-- tables. Without a check of the content: a damaged table must prevent neither the migration nor the start.
CREATE TABLE revision_content (
    tenant TEXT NOT NULL REFERENCES tenant (id),
    hash TEXT NOT NULL CHECK (length(hash) = 64),
    bytes INTEGER NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (tenant, hash)
) STRICT;
CREATE INDEX revision_content_by_tenant ON revision_content (tenant, bytes);
INSERT INTO revision_content (tenant, hash, bytes, content)
SELECT tenant, content_hash, length(CAST(content AS BLOB)), content FROM revision WHERE true
ON CONFLICT DO NOTHING;
ALTER TABLE revision DROP COLUMN content;
ALTER TABLE revision DROP COLUMN content_bytes;

-- The last revision with a content takes it along.
CREATE INDEX revision_by_content ON revision (tenant, content_hash);
CREATE TRIGGER revision_deleted AFTER DELETE ON revision
WHEN NOT EXISTS (SELECT 1 FROM revision WHERE tenant = old.tenant AND content_hash = old.content_hash) BEGIN
    DELETE FROM revision_content WHERE tenant = old.tenant AND hash = old.content_hash;
END;

-- The bytes of audit rows that the tenant's keys have caused on the day `audit_day` (days since 1970).
ALTER TABLE tenant ADD COLUMN audit_day INTEGER;
ALTER TABLE tenant ADD COLUMN audit_bytes INTEGER NOT NULL DEFAULT 0;

-- Keys.
-- The limits to routes of the keys that created this one, directly and indirectly: a JSON array of {owners, pathPrefixes}.
ALTER TABLE api_key ADD COLUMN creator_limits TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(creator_limits));
UPDATE api_key SET creator_limits = (
    WITH RECURSIVE creator (id) AS (
        SELECT api_key.id
        UNION SELECT created_by FROM creator JOIN api_key AS made USING (id) WHERE created_by IS NOT NULL
        UNION SELECT replaces FROM creator JOIN api_key AS made USING (id) WHERE replaces IS NOT NULL
    )
    SELECT json_group_array(DISTINCT json_patch(
        '{}', json_object('owners', json(owners), 'pathPrefixes', json(path_prefixes))
    ))
    FROM creator JOIN api_key AS limited USING (id)
    WHERE id <> api_key.id AND (owners IS NOT NULL OR path_prefixes IS NOT NULL)
);
CREATE INDEX api_key_by_creator ON api_key (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX api_key_by_tenant ON api_key (tenant, created_at);
CREATE INDEX api_key_by_tenant_not_revoked ON api_key (tenant, expires_at) WHERE revoked_at IS NULL;
CREATE INDEX api_key_by_end
    ON api_key (min(ifnull(revoked_at, expires_at), ifnull(expires_at, revoked_at)));

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
