-- The names by which a note can be requested without its path: see `noteNames`. Derived from the records.
CREATE TABLE note_name (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (ns, record, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_name_name ON note_name (ns, name);
