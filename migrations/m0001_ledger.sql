-- What is known about the log as a whole.

-- Since when a tenant's windows count, and how far they have come.
CREATE TABLE export_cursor (
    tenant TEXT NOT NULL PRIMARY KEY,
    last_end INTEGER NOT NULL,
    edge INTEGER NOT NULL CHECK (edge >= 0)
) STRICT, WITHOUT ROWID;

-- A window is a range of seq; it never changes once it is cut. Empty when last_seq < first_seq.
CREATE TABLE export_window (
    tenant TEXT NOT NULL REFERENCES export_cursor (tenant),
    window_end INTEGER NOT NULL,
    window_start INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL CHECK (last_seq >= first_seq - 1),
    format TEXT NOT NULL,
    level INTEGER NOT NULL,
    exported_at INTEGER, -- NULL: cut, not yet exported
    PRIMARY KEY (tenant, window_end)
) STRICT, WITHOUT ROWID;
CREATE INDEX export_window_pending ON export_window (tenant, window_end) WHERE exported_at IS NULL;
