-- Which key made a key, and which one it took over from; NULL for what was made at the machine itself.
ALTER TABLE api_key ADD COLUMN created_by TEXT;
ALTER TABLE api_key ADD COLUMN replaces TEXT;
-- The audit knows who made those that are there.
UPDATE api_key SET created_by = audit.actor_id FROM audit
WHERE audit.action = 'key.create' AND audit.actor_kind = 'key' AND audit.subject = api_key.id;
