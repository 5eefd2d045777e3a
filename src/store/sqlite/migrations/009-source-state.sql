-- How it stands with each source; takes the place of source_read. Times in milliseconds since the Unix epoch.
CREATE TABLE source_state (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  source TEXT NOT NULL,
  -- The folder it was read from.
  root TEXT,
  read_at INTEGER,
  tried_at INTEGER,
  took_ms INTEGER,
  next_at INTEGER,
  refreshes INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  -- A JSON list of texts.
  problems TEXT NOT NULL DEFAULT '[]',
  empties INTEGER NOT NULL DEFAULT 0,
  paused INTEGER NOT NULL DEFAULT 0,
  approval TEXT,
  approved_at INTEGER,
  approved_by TEXT,
  hits INTEGER NOT NULL DEFAULT 0,
  hit_at INTEGER,
  PRIMARY KEY (ns, source)
) STRICT, WITHOUT ROWID;

INSERT INTO source_state (ns, source, root, read_at) SELECT ns, source, root, at FROM source_read;

DROP TABLE source_read;
