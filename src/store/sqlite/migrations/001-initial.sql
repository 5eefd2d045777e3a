-- Canonical: namespaces and records. Derived: everything else.
CREATE TABLE namespace (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  next_record INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE record (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  id INTEGER NOT NULL,
  uuid TEXT NOT NULL,
  project TEXT NOT NULL,
  origin TEXT NOT NULL,
  source TEXT NOT NULL,
  key TEXT,
  identity TEXT,
  category TEXT NOT NULL,
  record_type TEXT NOT NULL,
  title TEXT NOT NULL,
  tags TEXT NOT NULL,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  expires_at INTEGER,
  content_hash TEXT NOT NULL,
  revision TEXT,
  -- Which chunking made the passages; NULL: none yet.
  chunking TEXT,
  -- JSON nested deeper than SQLite reads (1,000) has no session, and does no harm.
  session TEXT AS (CASE WHEN json_valid(metadata) THEN CAST(json_extract(metadata, '$.session') AS TEXT) END) VIRTUAL,
  -- Last: what stands behind a long text is only reached through all of its pages.
  content TEXT NOT NULL,
  PRIMARY KEY (ns, id)
) STRICT;

CREATE UNIQUE INDEX record_uuid ON record (ns, uuid);
CREATE UNIQUE INDEX record_key ON record (ns, source, key) WHERE key IS NOT NULL;
CREATE INDEX record_by_key ON record (ns, key) WHERE key IS NOT NULL;
CREATE INDEX record_session ON record (ns, session, id) WHERE session IS NOT NULL;

CREATE TABLE passage (
  -- Also the rowid in the namespace's full-text index.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  headings TEXT NOT NULL,
  text TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  hash BLOB NOT NULL,
  FOREIGN KEY (ns, record) REFERENCES record (ns, id)
) STRICT;

CREATE UNIQUE INDEX passage_record ON passage (ns, record, ordinal);
CREATE INDEX passage_hash ON passage (ns, hash);

-- The vocabulary: folded words with the number of passages that hold them.
CREATE TABLE term (
  id INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespace (id),
  word TEXT NOT NULL,
  stem TEXT NOT NULL,
  passages INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX term_word ON term (ns, word);
CREATE INDEX term_stem ON term (ns, stem);

CREATE TABLE generation (
  id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  active INTEGER NOT NULL DEFAULT 0,
  UNIQUE (provider, model, dimensions)
) STRICT;

CREATE UNIQUE INDEX generation_active ON generation (active) WHERE active = 1;

-- A vector once a generation and content: float32 scale, then one signed byte a dimension.
CREATE TABLE vector (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  ns INTEGER NOT NULL REFERENCES namespace (id),
  generation INTEGER NOT NULL REFERENCES generation (id),
  hash BLOB NOT NULL,
  quantised BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX vector_hash ON vector (ns, generation, hash);
CREATE INDEX vector_order ON vector (ns, generation);

-- Sign codes of up to 4,096 vectors in one blob each: a million rows load in a fifth of a second.
CREATE TABLE code_chunk (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  generation INTEGER NOT NULL REFERENCES generation (id),
  last_vector INTEGER NOT NULL,
  vectors BLOB NOT NULL,
  codes BLOB NOT NULL,
  PRIMARY KEY (ns, generation, last_vector)
) STRICT, WITHOUT ROWID;

-- Grows when vectors are removed, so that codes held in memory are loaded again.
CREATE TABLE vector_epoch (epoch INTEGER NOT NULL) STRICT;
INSERT INTO vector_epoch VALUES (0);
