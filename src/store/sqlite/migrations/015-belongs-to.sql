-- To which notes the documents of sources belong: those that the text of the document finds first. Derived.
CREATE TABLE belongs_to (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  document INTEGER NOT NULL,
  position INTEGER NOT NULL,
  note INTEGER NOT NULL,
  share REAL NOT NULL,
  confidence REAL NOT NULL,
  PRIMARY KEY (ns, document, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX belongs_to_note ON belongs_to (ns, note);

-- The last change of a record that these rows take into account.
ALTER TABLE namespace ADD COLUMN belongs_to_change INTEGER NOT NULL DEFAULT 0;
