-- One UTC day of the log. Rows are only ever added; a day is dropped by removing its file.
--
-- The id has no UNIQUE index: it would cost a second B-tree of 36 bytes a row. Nothing is written twice, because one writer
-- counts seq up and a batch is committed whole or not at all.

CREATE TABLE event (
    seq INTEGER PRIMARY KEY CHECK (seq >= 1),
    id TEXT NOT NULL,
    recorded_at INTEGER NOT NULL, -- milliseconds since 1970, as every time here
    occurred_at INTEGER,
    purpose TEXT NOT NULL CHECK (purpose IN ('live', 'test', 'preview', 'prefetch')),
    kind TEXT NOT NULL,
    parent TEXT,
    client_event_id TEXT,
    tenant TEXT NOT NULL,
    environment TEXT NOT NULL,
    app TEXT,
    route TEXT,
    revision INTEGER,
    settings_revision INTEGER,
    outcome TEXT NOT NULL CHECK (outcome IN ('matched', 'fallback', 'unmatched', 'rejected')),
    action TEXT,
    reason TEXT,
    experiment TEXT,
    variant TEXT,
    scheme TEXT,
    host TEXT,
    path TEXT,
    link_length INTEGER NOT NULL CHECK (link_length >= 0),
    query TEXT CHECK (query IS NULL OR json_valid(query)), -- [{"name", "value"}]
    parameters TEXT CHECK (parameters IS NULL OR json_valid(parameters)), -- an object
    platform TEXT,
    device TEXT,
    os_version TEXT,
    app_version TEXT,
    app_build INTEGER,
    traits TEXT CHECK (traits IS NULL OR json_valid(traits)), -- an object
    locale TEXT,
    country TEXT,
    referrer_host TEXT,
    address TEXT,
    user_agent TEXT,
    bot_class TEXT,
    install TEXT,
    source TEXT NOT NULL,
    node TEXT NOT NULL,
    request_id TEXT NOT NULL,
    method TEXT NOT NULL,
    latency_micros INTEGER CHECK (latency_micros >= 0)
) STRICT;

-- Exports and analytics read one tenant's range of the log.
CREATE INDEX event_by_tenant ON event (tenant, seq);
