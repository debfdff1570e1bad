-- The key of each tenant whose settings request install ids, now or earlier. It never changes: events with ids of
-- another key could be neither counted together nor erased.
CREATE TABLE install_key (
    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id),
    key BLOB NOT NULL CHECK (length(key) = 32),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
