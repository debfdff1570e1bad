-- What is asked of a draft without reading its content; NULL in drafts that were written before.
ALTER TABLE draft ADD COLUMN route_count INTEGER;
ALTER TABLE draft ADD COLUMN content_hash TEXT CHECK (content_hash IS NULL OR length(content_hash) = 64);
ALTER TABLE draft ADD COLUMN content_bytes INTEGER;
-- The id of the actor that began the draft, while nobody else has written it.
ALTER TABLE draft ADD COLUMN only_author TEXT;

-- Whose the kept answer is; NULL for what no tenant's path names.
ALTER TABLE repeated_request ADD COLUMN tenant TEXT;
CREATE INDEX repeated_request_by_tenant ON repeated_request (tenant, created_at);
CREATE INDEX repeated_request_by_actor ON repeated_request (actor, created_at);

-- NULL in revisions that were stored before: of unknown size.
ALTER TABLE revision ADD COLUMN content_bytes INTEGER;
