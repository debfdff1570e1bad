-- The key of each tenant whose settings ask, or once asked, for installs. It is never changed: events under another one could
-- be neither counted together nor erased.
CREATE TABLE install_key (
    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id),
    key BLOB NOT NULL CHECK (length(key) = 32),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
