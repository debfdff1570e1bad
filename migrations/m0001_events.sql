-- One UTC day of the log. Rows are only appended, except that retention and erasure remove them. A day is dropped by
-- removing its file.
--
-- Repeated text is stored once in `text`. In a column of type ANY, an integer is the id of such a text, and a text is
-- stored as it is: the file's dictionary is bounded, and further texts are stored in the row once it is full. Where
-- UUIDs are common, a blob of 16 bytes is a UUID, written in its canonical lower-case form.
--
-- The id has no UNIQUE index, which would cost a second B-tree. Nothing is written twice, because a single writer
-- increments seq and a batch is committed completely or not at all.

CREATE TABLE text (
    id INTEGER PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE event (
    seq INTEGER PRIMARY KEY CHECK (seq >= 1),
    recorded_at INTEGER NOT NULL, -- milliseconds since 1970, like all times here
    tenant INTEGER NOT NULL, -- always an integer, for the index
    environment ANY NOT NULL,
    purpose ANY NOT NULL,
    kind ANY NOT NULL,
    outcome ANY NOT NULL,
    action ANY,
    reason ANY,
    route ANY,
    revision INTEGER,
    settings_revision INTEGER,
    app ANY,
    experiment ANY,
    variant ANY,
    scheme ANY,
    host ANY,
    path TEXT,
    link_length INTEGER NOT NULL CHECK (link_length >= 0),
    query ANY, -- [{"name", "value"}]
    parameters TEXT CHECK (parameters IS NULL OR json_valid(parameters)), -- an object
    platform ANY,
    device ANY,
    os_version ANY,
    app_version ANY,
    app_build INTEGER,
    traits ANY, -- an object
    locale ANY,
    country ANY,
    referrer_host ANY,
    address ANY,
    user_agent ANY,
    bot_class ANY,
    install ANY, -- 32 hexadecimal digits, stored as a blob of 16 bytes
    source ANY NOT NULL,
    node ANY NOT NULL,
    method ANY NOT NULL,
    latency_micros INTEGER CHECK (latency_micros >= 0),
    id ANY NOT NULL, -- usually a UUID, like the four below
    request_id ANY NOT NULL,
    occurred_at INTEGER,
    parent ANY,
    client_event_id ANY,
    -- What an app reported about its own decision: 'shown' or 'failed', the version of its engine, and whether the server
    -- decides the same: 'same', 'different', 'unchecked'. NULL for other events.
    result ANY,
    engine_version ANY,
    agreement ANY,
    -- The settings that changed the link: 'repair', 'fragmentParameters' or both.
    reading ANY,
    -- The host of a short link, or its custom scheme and ':', with '/' and its code. Not in the dictionary, because there
    -- may be millions of codes.
    short_link TEXT
) STRICT;

-- The hash of each reported event of this file: of tenant, install and clientEventId, with the event's seq. It is inserted
-- with the event's row, so that a report that is sent again is recognised. Retention and erasures leave it. Closing the day copies it to
-- ledger.db.
CREATE TABLE client_event (
    hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 16),
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX client_event_by_seq ON client_event (seq);

-- Counts of the rows. They are written some batches after the rows, so that a batch writes only its rows, and copied to
-- ledger.db when the day is over. A count stays when its rows are erased or dropped.

-- The tenants that have had rows in this file.
CREATE TABLE tenant_rows (
    tenant TEXT NOT NULL PRIMARY KEY,
    rows INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A row above this seq is not included in any count, nor in tenant_rows. Queries of counts add these rows.
CREATE VIEW counted (seq) AS SELECT ifnull(max(last_seq), 0) FROM tenant_rows;

-- The rows by tenant, for exports and for queries of one tenant's range of the log. It is written in the transaction that
-- moves `counted`. With an index of `event`, each commit would also write a page of the index for each tenant of the
-- batch. Queries add the rows above `counted`.
CREATE TABLE indexed_event (
    tenant INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (tenant, seq)
) STRICT, WITHOUT ROWID;

-- Retention and erasures delete rows, but only such that are counted.
CREATE TRIGGER event_deleted AFTER DELETE ON event BEGIN
    DELETE FROM indexed_event WHERE tenant = old.tenant AND seq = old.seq;
END;

-- Each stream is counted separately.
CREATE TABLE stream (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    environment TEXT NOT NULL,
    purpose TEXT NOT NULL,
    UNIQUE (tenant, environment, purpose)
) STRICT;

-- The result of a link in a stream; '' and 0 if there is none.
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
    quarter INTEGER NOT NULL, -- quarter-hours since 1970
    count INTEGER NOT NULL,
    PRIMARY KEY (result, quarter)
) STRICT, WITHOUT ROWID;

-- The values of a dimension, at most 1,000 for a tenant. The value with other = 1 stands for all further ones.
CREATE TABLE value (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    dimension TEXT NOT NULL,
    other INTEGER NOT NULL DEFAULT 0 CHECK (other IN (0, 1)),
    value TEXT NOT NULL,
    UNIQUE (tenant, dimension, other, value)
) STRICT;

-- The values of a stream that are counted separately, up to the limit of their dimension. All other values of the
-- stream are counted together as the value with other = 1. Written with the rows, before they are counted.
CREATE TABLE stream_value (
    stream INTEGER NOT NULL REFERENCES stream (id),
    value INTEGER NOT NULL REFERENCES value (id),
    PRIMARY KEY (stream, value)
) STRICT, WITHOUT ROWID;

CREATE TABLE value_hour (
    stream INTEGER NOT NULL REFERENCES stream (id),
    value INTEGER NOT NULL REFERENCES value (id),
    hour INTEGER NOT NULL, -- hours since 1970
    count INTEGER NOT NULL,
    PRIMARY KEY (stream, value, hour)
) STRICT, WITHOUT ROWID;

-- The events with a short link, one row for a link in each transaction that writes counts: rows are only appended, because
-- updating a count of each of many links would write a page for each. Queries add them up. Only codes of stored links are
-- recorded, so that they need no limit.
CREATE TABLE short_link_count (
    id INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL REFERENCES stream (id),
    day INTEGER NOT NULL, -- days since 1970
    code TEXT NOT NULL,
    count INTEGER NOT NULL,
    last_at INTEGER NOT NULL
) STRICT;
