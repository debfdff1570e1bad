-- What an app reported about its own decision: 'shown' or 'failed', the version of its engine, and whether the server
-- decides the same: 'same', 'different', 'unchecked'. NULL for other events.
ALTER TABLE event ADD COLUMN result ANY;
ALTER TABLE event ADD COLUMN engine_version ANY;
ALTER TABLE event ADD COLUMN agreement ANY;

-- The hash of each reported event of this file: of tenant, install and clientEventId. It is inserted with the event's
-- row, so that a report that is sent again is recognised. Retention and erasures leave it. Since m0004_ledger.sql,
-- closing the day copies it to ledger.db.
CREATE TABLE client_event (
    hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 16)
) STRICT, WITHOUT ROWID;
