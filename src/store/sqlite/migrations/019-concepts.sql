-- Names that records have and mention. Derived: see `store/concept-model.ts`.
CREATE TABLE concept_record (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  project TEXT NOT NULL,
  -- The id of the record's node in the graph if it is a note.
  note TEXT,
  PRIMARY KEY (ns, record)
) STRICT, WITHOUT ROWID;

CREATE INDEX concept_record_note ON concept_record (ns, project, note) WHERE note IS NOT NULL;

CREATE TABLE concept_name (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  key TEXT NOT NULL,
  project TEXT NOT NULL,
  text TEXT NOT NULL,
  kind TEXT NOT NULL,
  line INTEGER,
  PRIMARY KEY (ns, record, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX concept_name_key ON concept_name (ns, project, key, kind);

CREATE TABLE concept_mention (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  key TEXT NOT NULL,
  project TEXT NOT NULL,
  line INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (ns, record, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX concept_mention_key ON concept_mention (ns, project, key);

-- Records whose edges of concepts must be derived again though they have not changed themselves.
CREATE TABLE concept_stale (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  PRIMARY KEY (ns, record)
) STRICT, WITHOUT ROWID;

CREATE TABLE concept_progress (
  ns INTEGER PRIMARY KEY REFERENCES namespace (id),
  up_to INTEGER NOT NULL,
  rules TEXT NOT NULL
) STRICT;

-- What operators changed about concepts. Canonical.
CREATE TABLE concept_change (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  surface TEXT NOT NULL,
  project TEXT NOT NULL,
  detail TEXT NOT NULL,
  -- Whether the edges of the graph take it into account.
  applied INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (ns, id)
) STRICT, WITHOUT ROWID;
