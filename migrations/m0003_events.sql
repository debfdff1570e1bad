-- The values of a stream that are counted separately, up to the limit of their dimension. All other values of the
-- stream are counted together as the value with other = 1. Written with the rows, before they are counted.
CREATE TABLE stream_value (
    stream INTEGER NOT NULL REFERENCES stream (id),
    value INTEGER NOT NULL REFERENCES value (id),
    PRIMARY KEY (stream, value)
) STRICT, WITHOUT ROWID;
INSERT INTO stream_value SELECT DISTINCT stream, value_hour.value FROM value_hour JOIN value ON value.id = value_hour.value WHERE other = 0;
