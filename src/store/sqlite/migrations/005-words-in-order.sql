-- The vocabulary in the order of its words: to count one more passage is one step down one tree, not two.
ALTER TABLE term RENAME TO term_by_id;

CREATE TABLE term (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  word TEXT NOT NULL,
  stem TEXT NOT NULL,
  passages INTEGER NOT NULL,
  -- Also the rowid in the namespace's index of trigrams.
  id INTEGER NOT NULL,
  PRIMARY KEY (ns, word)
) STRICT, WITHOUT ROWID;

INSERT INTO term (ns, word, stem, passages, id) SELECT ns, word, stem, passages, id FROM term_by_id ORDER BY ns, word;

DROP TABLE term_by_id;

CREATE UNIQUE INDEX term_id ON term (id);
CREATE INDEX term_stem ON term (ns, stem);
