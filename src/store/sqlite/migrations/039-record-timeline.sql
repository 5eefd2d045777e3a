-- The time of a record in the timeline, before its content, because what follows a long text is slow to reach.
CREATE TABLE record_timed (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  id INTEGER NOT NULL,
  uuid TEXT NOT NULL,
  project TEXT NOT NULL,
  origin TEXT NOT NULL,
  source TEXT NOT NULL,
  trust TEXT NOT NULL,
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
  timeline_at INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  revision TEXT,
  -- Which chunking made the passages; NULL: none yet.
  chunking TEXT,
  -- JSON nested deeper than SQLite reads (1,000) has no session, and does no harm.
  session TEXT AS (CASE WHEN json_valid(metadata) THEN CAST(json_extract(metadata, '$.session') AS TEXT) END) VIRTUAL,
  content TEXT NOT NULL,
  PRIMARY KEY (ns, id)
) STRICT;

INSERT INTO record_timed (ns, id, uuid, project, origin, source, trust, key, identity, category, record_type, title, tags,
    metadata, created_at, updated_at, deleted_at, expires_at, timeline_at, content_hash, revision, chunking, content)
  SELECT ns, id, uuid, project, origin, source, trust, key, identity, category, record_type, title, tags,
    metadata, created_at, updated_at, deleted_at, expires_at, updated_at, content_hash, revision, chunking, content
  FROM record;

DROP TABLE record;
ALTER TABLE record_timed RENAME TO record;

CREATE UNIQUE INDEX record_uuid ON record (ns, uuid);
CREATE UNIQUE INDEX record_key ON record (ns, source, key) WHERE key IS NOT NULL AND origin <> 'fact';
CREATE UNIQUE INDEX record_fact ON record (ns, key, category) WHERE origin = 'fact' AND deleted_at IS NULL;
CREATE INDEX record_facts ON record (ns, id) WHERE origin = 'fact' AND deleted_at IS NULL;
CREATE INDEX record_category ON record (ns, category, updated_at, id, expires_at, key)
  WHERE origin = 'fact' AND deleted_at IS NULL;
CREATE INDEX record_by_key ON record (ns, key) WHERE key IS NOT NULL AND origin <> 'fact';
CREATE INDEX record_session ON record (ns, session, id) WHERE session IS NOT NULL;
CREATE INDEX record_turn ON record (ns, id, session) WHERE session IS NOT NULL;
CREATE INDEX record_written ON record (ns, content_hash) WHERE origin = 'memory';
CREATE INDEX record_expiry ON record (ns, expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX record_deleted ON record (ns, deleted_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX record_created ON record (ns, created_at, id, expires_at) WHERE deleted_at IS NULL;
CREATE INDEX record_identity ON record (ns, source, identity) WHERE identity IS NOT NULL;
CREATE INDEX record_timeline ON record (ns, timeline_at, id) WHERE deleted_at IS NULL;
