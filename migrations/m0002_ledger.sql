-- Pending notifications about exports. A row is deleted once its receiver has accepted it, or after a day of failed
-- attempts.
CREATE TABLE export_notice (
    id TEXT NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    payload TEXT NOT NULL CHECK (json_valid(payload)),
    created_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    due_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX export_notice_due ON export_notice (due_at, id);
