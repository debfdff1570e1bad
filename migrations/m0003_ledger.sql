-- The time of the last retention pass, and the time of a forward clock jump that retention waits for.
CREATE TABLE retention_clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last_pass INTEGER NOT NULL,
    jumped_at INTEGER
) STRICT;
