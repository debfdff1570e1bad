-- Information about the log as a whole.

-- The end and the last sequence of each tenant's export windows so far.
CREATE TABLE export_cursor (
    tenant TEXT NOT NULL PRIMARY KEY,
    last_end INTEGER NOT NULL,
    edge INTEGER NOT NULL CHECK (edge >= 0)
) STRICT, WITHOUT ROWID;

-- A window is a range of seq that never changes once it is cut. It is empty if last_seq < first_seq.
CREATE TABLE export_window (
    tenant TEXT NOT NULL REFERENCES export_cursor (tenant),
    window_end INTEGER NOT NULL,
    window_start INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL CHECK (last_seq >= first_seq - 1),
    format TEXT NOT NULL,
    level INTEGER NOT NULL,
    software TEXT NOT NULL, -- that cut it, for the manifest
    exported_at INTEGER, -- NULL: cut, not exported yet
    PRIMARY KEY (tenant, window_end)
) STRICT, WITHOUT ROWID;
CREATE INDEX export_window_pending ON export_window (tenant, window_end) WHERE exported_at IS NULL;

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

-- Closed day files: no rows are added to them, and their counts are in the tables below. Days are counted since 1970.
CREATE TABLE day (
    day INTEGER PRIMARY KEY,
    last_seq INTEGER NOT NULL, -- of the log when the day was closed
    dropped_at INTEGER -- NULL: the file exists
) STRICT;

-- The tenants with rows in a closed day. Some of the rows may be gone once dropped_at is set, all once emptied_at is
-- set.
CREATE TABLE day_tenant (
    day INTEGER NOT NULL REFERENCES day (day),
    tenant TEXT NOT NULL,
    rows INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    dropped_at INTEGER,
    emptied_at INTEGER,
    PRIMARY KEY (tenant, day)
) STRICT, WITHOUT ROWID;

-- The time of the last retention pass, and the time of a forward clock jump that retention waits for.
CREATE TABLE retention_clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last_pass INTEGER NOT NULL,
    jumped_at INTEGER
) STRICT;

-- A tenant's requests to erase the rows of one of its installs. finished_at is NULL until the rows are erased, so that
-- an erasure resumes after a crash.
CREATE TABLE erasure (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    install BLOB NOT NULL,
    requested_at INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    last_seq INTEGER NOT NULL, -- of the log at the time of the request
    finished_at INTEGER
) STRICT;
CREATE INDEX erasure_by_tenant ON erasure (tenant, requested_at);

-- The gaps that erasures leave in the log. The id of the event says whether a copy of the log has had the same row.
CREATE TABLE erased (
    seq INTEGER PRIMARY KEY,
    erasure INTEGER NOT NULL REFERENCES erasure (id),
    event ANY NOT NULL
) STRICT;
CREATE INDEX erased_by_erasure ON erased (erasure);

-- The hashes of reported events in closed days, as in m0001_events.sql. They are kept for 30 days after the day, whether
-- or not its rows are.
CREATE TABLE client_event (
    hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 16),
    day INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The days with rows in client_event.
CREATE TABLE client_event_day (
    day INTEGER PRIMARY KEY
) STRICT;

-- The counts of closed days, as in m0001_events.sql. Ids are local to the ledger.

CREATE TABLE stream (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    environment TEXT NOT NULL,
    purpose TEXT NOT NULL,
    UNIQUE (tenant, environment, purpose)
) STRICT;

CREATE TABLE result (
    id INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL REFERENCES stream (id),
    route TEXT NOT NULL,
    revision INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    action TEXT NOT NULL,
    UNIQUE (stream, route, revision, outcome, action)
) STRICT;

CREATE TABLE result_quarter (
    result INTEGER NOT NULL REFERENCES result (id),
    quarter INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (result, quarter)
) STRICT, WITHOUT ROWID;

CREATE TABLE value (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    dimension TEXT NOT NULL,
    other INTEGER NOT NULL DEFAULT 0 CHECK (other IN (0, 1)),
    value TEXT NOT NULL,
    UNIQUE (tenant, dimension, other, value)
) STRICT;

CREATE TABLE value_hour (
    stream INTEGER NOT NULL REFERENCES stream (id),
    value INTEGER NOT NULL REFERENCES value (id),
    hour INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (stream, value, hour)
) STRICT, WITHOUT ROWID;

-- Sums of the tables above, so that a query over 90 days reads thousands of rows instead of millions.

CREATE TABLE result_day (
    stream INTEGER NOT NULL REFERENCES stream (id),
    day INTEGER NOT NULL,
    result INTEGER NOT NULL REFERENCES result (id),
    count INTEGER NOT NULL,
    PRIMARY KEY (stream, day, result)
) STRICT, WITHOUT ROWID;

-- Totals of all routes and revisions.
CREATE TABLE stream_quarter (
    stream INTEGER NOT NULL REFERENCES stream (id),
    quarter INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    action TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (stream, quarter, outcome, action)
) STRICT, WITHOUT ROWID;

CREATE TABLE value_day (
    stream INTEGER NOT NULL REFERENCES stream (id),
    dimension TEXT NOT NULL,
    day INTEGER NOT NULL,
    value INTEGER NOT NULL REFERENCES value (id),
    count INTEGER NOT NULL,
    PRIMARY KEY (stream, dimension, day, value)
) STRICT, WITHOUT ROWID;

-- The events with each short link.
CREATE TABLE short_link_day (
    stream INTEGER NOT NULL REFERENCES stream (id),
    day INTEGER NOT NULL,
    code TEXT NOT NULL,
    count INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (stream, day, code)
) STRICT, WITHOUT ROWID;
CREATE INDEX short_link_rank ON short_link_day (stream, day, count DESC, code);

-- Under which id the log was shipped to PostgreSQL, one row for each start of a process that ships; the last one counts.
-- A copy of this directory that starts elsewhere has another last nonce, and is noticed. What the log had up to begun_seq was
-- shipped under its id before. See docs/fleet.md.
CREATE TABLE shipped_as (
    number INTEGER PRIMARY KEY,
    log TEXT NOT NULL,
    nonce TEXT NOT NULL,
    begun_seq INTEGER NOT NULL, -- 0 for the first id
    begun_event TEXT NOT NULL
) STRICT;
