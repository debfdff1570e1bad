-- The key that created a key, and the key that it replaces. NULL for keys that were created on the machine itself.
ALTER TABLE api_key ADD COLUMN created_by TEXT;
ALTER TABLE api_key ADD COLUMN replaces TEXT;
-- Fills in the creators of existing keys from the audit.
UPDATE api_key SET created_by = audit.actor_id FROM audit
WHERE audit.action = 'key.create' AND audit.actor_kind = 'key' AND audit.subject = api_key.id;
