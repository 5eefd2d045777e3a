-- Where each live record stands in the timeline: see `recordTime`. Derived from the records.
CREATE TABLE record_time (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (ns, record)
) STRICT, WITHOUT ROWID;

CREATE INDEX record_time_at ON record_time (ns, at, record);
