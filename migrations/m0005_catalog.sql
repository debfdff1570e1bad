-- Properties that are queried without reading the content; NULL in drafts that were written before.
ALTER TABLE draft ADD COLUMN route_count INTEGER;
ALTER TABLE draft ADD COLUMN content_hash TEXT CHECK (content_hash IS NULL OR length(content_hash) = 64);
ALTER TABLE draft ADD COLUMN content_bytes INTEGER;
-- The id of the actor that created the draft, until another actor writes it.
ALTER TABLE draft ADD COLUMN only_author TEXT;

-- The tenant of the stored response; NULL if the request's path names no tenant.
ALTER TABLE repeated_request ADD COLUMN tenant TEXT;
CREATE INDEX repeated_request_by_tenant ON repeated_request (tenant, created_at);
CREATE INDEX repeated_request_by_actor ON repeated_request (actor, created_at);

-- NULL (unknown size) in revisions that were stored before.
ALTER TABLE revision ADD COLUMN content_bytes INTEGER;
