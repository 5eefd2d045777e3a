-- What was returned to agents, and why: ids, numbers, hashes and reasons. Neither canonical nor derived: time removes them.
CREATE TABLE receipt (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  hash TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (ns, id)
) STRICT;

CREATE INDEX receipt_at ON receipt (ns, at, id);
CREATE INDEX receipt_hash ON receipt (ns, hash, at, id);

-- Canonical: what the operator says about items of receipts.
CREATE TABLE label (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  sequence INTEGER NOT NULL,
  receipt TEXT NOT NULL,
  record TEXT NOT NULL,
  verdict TEXT NOT NULL,
  query TEXT,
  query_hash TEXT,
  project TEXT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  PRIMARY KEY (ns, sequence)
) STRICT;

CREATE UNIQUE INDEX label_item ON label (ns, receipt, record);
