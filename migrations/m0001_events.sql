-- One UTC day of the log. Rows are only ever added, but for retention and erasure; a day is dropped by removing its file.
--
-- Text that repeats stands once in `text`. In a column of type ANY an integer is the number of such a text, and a text
-- stands for itself: the file's dictionary is bounded, and what comes when it is full is written out. Where a UUID is
-- common, a blob of 16 bytes is one in its canonical lower-case form.
--
-- The id has no UNIQUE index: it would cost a second B-tree. Nothing is written twice, because one writer counts seq up and
-- a batch is committed whole or not at all.

CREATE TABLE text (
    id INTEGER PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE event (
    seq INTEGER PRIMARY KEY CHECK (seq >= 1),
    recorded_at INTEGER NOT NULL, -- milliseconds since 1970, as every time here
    tenant INTEGER NOT NULL, -- always a number, for the index
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
    install ANY, -- 32 hexadecimal digits, as a blob of 16 bytes
    source ANY NOT NULL,
    node ANY NOT NULL,
    method ANY NOT NULL,
    latency_micros INTEGER CHECK (latency_micros >= 0),
    id ANY NOT NULL, -- usually a UUID, as the four below
    request_id ANY NOT NULL,
    occurred_at INTEGER,
    parent ANY,
    client_event_id ANY
) STRICT;

-- Exports and analytics read one tenant's range of the log.
CREATE INDEX event_by_tenant ON event (tenant, seq);

-- What follows is counted in the transaction that adds the rows, and copied to ledger.db when the day is over. A count stays
-- when its rows are erased or dropped.

-- Which tenants have had rows in this file.
CREATE TABLE tenant_rows (
    tenant TEXT NOT NULL PRIMARY KEY,
    rows INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is counted apart.
CREATE TABLE stream (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    environment TEXT NOT NULL,
    purpose TEXT NOT NULL,
    UNIQUE (tenant, environment, purpose)
) STRICT;

-- How a link of a stream ended; '' and 0 where there is none.
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

-- The values that a dimension has had, at most 1,000 for a tenant; the one with other = 1 stands for all further ones.
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
    hour INTEGER NOT NULL, -- hours since 1970
    count INTEGER NOT NULL,
    PRIMARY KEY (stream, value, hour)
) STRICT, WITHOUT ROWID;
