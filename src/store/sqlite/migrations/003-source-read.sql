-- When a source was last read through, in milliseconds since the Unix epoch.
CREATE TABLE source_read (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  source TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (ns, source)
) STRICT, WITHOUT ROWID;
