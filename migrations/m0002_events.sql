-- Counts trail the rows by some batches, so that a batch writes its rows alone: a row above this seq is in none of the counts,
-- nor in tenant_rows. Whoever reads counts adds what those rows say.
CREATE VIEW counted (seq) AS SELECT ifnull(max(last_seq), 0) FROM tenant_rows;
