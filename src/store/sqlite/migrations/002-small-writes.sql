-- What small commits changed in the vocabulary, word by word, until there is enough to write it down at once.
CREATE TABLE word_change (
  id INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespace (id),
  words INTEGER NOT NULL,
  changes TEXT NOT NULL
) STRICT;

CREATE INDEX word_change_ns ON word_change (ns);

-- With the record, so that a vector's passages are found without a look at them.
DROP INDEX passage_hash;
CREATE INDEX passage_hash ON passage (ns, hash, record);

-- The few that a search must not show, though it asks for nothing but what is live.
CREATE INDEX record_mortal ON record (ns, id, deleted_at, expires_at)
  WHERE deleted_at IS NOT NULL OR expires_at IS NOT NULL;

-- Which session a record is a turn of, without a look at its metadata.
CREATE INDEX record_turn ON record (ns, id, session) WHERE session IS NOT NULL;
