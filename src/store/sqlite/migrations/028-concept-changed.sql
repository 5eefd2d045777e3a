-- Titles and aliases that a record got or lost since texts were searched for them. Derived.
CREATE TABLE concept_changed (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  project TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (ns, project, key)
) STRICT, WITHOUT ROWID;

-- Records have no edges of concepts that are derived again.
DROP TABLE IF EXISTS concept_stale;
