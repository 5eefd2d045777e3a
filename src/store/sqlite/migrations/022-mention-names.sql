-- The names by which a text may mention a record: see `mentionNames`. Derived from the records.
CREATE TABLE mention_name (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  name TEXT NOT NULL,
  record INTEGER NOT NULL,
  PRIMARY KEY (ns, name, record)
) STRICT, WITHOUT ROWID;

CREATE INDEX mention_name_record ON mention_name (ns, record);
