-- Canonical: recorded queries of the operator, and the records that they should find.
CREATE TABLE golden_query (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  sequence INTEGER NOT NULL,
  id TEXT NOT NULL,
  query TEXT NOT NULL,
  project TEXT,
  expected TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  PRIMARY KEY (ns, sequence)
) STRICT;

CREATE UNIQUE INDEX golden_query_id ON golden_query (ns, id);
