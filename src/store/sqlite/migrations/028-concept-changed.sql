-- Titles and aliases that a record got or lost since texts were searched for them. Derived.
CREATE TABLE concept_changed (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  project TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (ns, project, key)
) STRICT, WITHOUT ROWID;

-- Records have no edges of concepts that are derived again.
DROP TABLE IF EXISTS concept_stale;

-- With the text, so that the spellings of a name are read from the index alone.
DROP INDEX IF EXISTS concept_name_key;
CREATE INDEX concept_name_key ON concept_name (ns, project, key, kind, text);
