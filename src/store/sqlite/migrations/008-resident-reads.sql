-- Readers keep what they have read in memory. Grows when records change or passages go: what was read of these is not
-- true any more. What only came is read behind what is known.
ALTER TABLE namespace ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
-- The same of the vocabulary: grows when changes that waited in word_change are taken into term.
ALTER TABLE namespace ADD COLUMN word_epoch INTEGER NOT NULL DEFAULT 0;

-- Misspelt words are compared with the whole vocabulary, in memory: words need no numbers any more. The indexes of
-- trigrams, one a namespace, are dropped beside this.
CREATE TABLE term_by_word (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  word TEXT NOT NULL,
  stem TEXT NOT NULL,
  passages INTEGER NOT NULL,
  PRIMARY KEY (ns, word)
) STRICT, WITHOUT ROWID;

INSERT INTO term_by_word (ns, word, stem, passages) SELECT ns, word, stem, passages FROM term ORDER BY ns, word;

DROP TABLE term;
ALTER TABLE term_by_word RENAME TO term;

CREATE INDEX term_stem ON term (ns, stem);
