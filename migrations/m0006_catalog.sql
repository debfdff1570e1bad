-- An archived tenant answers no links and cannot be changed. A removed tenant has no tables, drafts, suites and hosts any
-- more; its name stays taken, because the log still has its events.
ALTER TABLE tenant ADD COLUMN archived_at INTEGER;
ALTER TABLE tenant ADD COLUMN removed_at INTEGER CHECK (removed_at IS NULL OR archived_at IS NOT NULL);
