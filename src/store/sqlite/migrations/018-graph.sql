-- The graph. Derived from records, links and the change feed: see `store/graph-model.ts`.
CREATE TABLE graph_node (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  -- `r12` for record 12, `r12/…` for its tasks, and the id for a node that records share.
  key TEXT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  title TEXT NOT NULL,
  project TEXT NOT NULL,
  tags TEXT NOT NULL,
  record INTEGER,
  source TEXT,
  -- 1: another document of the source has the identity of this one.
  shares_identity INTEGER NOT NULL,
  done INTEGER,
  due TEXT,
  passage INTEGER,
  first_line INTEGER,
  last_line INTEGER,
  hash TEXT,
  PRIMARY KEY (ns, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX graph_node_id ON graph_node (ns, id);
CREATE INDEX graph_node_record ON graph_node (ns, record) WHERE record IS NOT NULL;
CREATE INDEX graph_node_shared_identity ON graph_node (ns, source) WHERE shares_identity = 1;

CREATE TABLE graph_edge (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  -- Keys of nodes. A node that is not derived yet has no row.
  src TEXT NOT NULL,
  type TEXT NOT NULL,
  dst TEXT NOT NULL,
  lane TEXT NOT NULL,
  weight REAL NOT NULL,
  reason TEXT NOT NULL,
  record INTEGER NOT NULL,
  passage INTEGER,
  first_line INTEGER,
  last_line INTEGER,
  hash TEXT NOT NULL,
  PRIMARY KEY (ns, src, type, dst)
) STRICT, WITHOUT ROWID;

CREATE INDEX graph_edge_dst ON graph_edge (ns, dst, weight DESC);
CREATE INDEX graph_edge_record ON graph_edge (ns, record, lane);

-- Records whose links or ids changed though they have not changed themselves.
CREATE TABLE graph_stale (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (ns, record)
) STRICT, WITHOUT ROWID;

CREATE TABLE graph_progress (
  ns INTEGER PRIMARY KEY REFERENCES namespace (id),
  up_to INTEGER NOT NULL DEFAULT 0,
  similar_up_to INTEGER NOT NULL DEFAULT 0,
  concepts_up_to INTEGER NOT NULL DEFAULT 0,
  rules TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX record_identity ON record (ns, source, identity) WHERE identity IS NOT NULL;
