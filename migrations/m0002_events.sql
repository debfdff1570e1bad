-- Counts are written some batches after the rows, so that a batch writes only its rows. A row above this seq is not
-- included in any count, nor in tenant_rows. Queries of counts add these rows.
CREATE VIEW counted (seq) AS SELECT ifnull(max(last_seq), 0) FROM tenant_rows;
