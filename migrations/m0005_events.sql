-- The rows by tenant, for exports and for queries of one tenant's range of the log. Like the counts, it is written some
-- batches after the rows, in the transaction that moves `counted`. With an index of `event`, each commit would also
-- write a page of the index for each tenant of the batch. Queries add the rows above `counted`.
CREATE TABLE indexed_event (
    tenant INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (tenant, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO indexed_event SELECT tenant, seq FROM event WHERE seq <= (SELECT seq FROM counted) ORDER BY tenant, seq;
DROP INDEX event_by_tenant;

-- Retention and erasures delete rows, but only such that are counted.
CREATE TRIGGER event_deleted AFTER DELETE ON event BEGIN
    DELETE FROM indexed_event WHERE tenant = old.tenant AND seq = old.seq;
END;
