-- When retention last looked at the clock, and when it saw a jump ahead that it still waits for.
CREATE TABLE retention_clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last_pass INTEGER NOT NULL,
    jumped_at INTEGER
) STRICT;
