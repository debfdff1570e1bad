-- The hashes of reported events in closed days, see m0004_events.sql. They are kept for 30 days after the day, whether
-- or not its rows are.
CREATE TABLE client_event (
    hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 16),
    day INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The days with rows in client_event.
CREATE TABLE client_event_day (
    day INTEGER PRIMARY KEY
) STRICT;
