-- The vectors of the sentences of a passage, each in the format of vector.quantised, one after the other. They are removed
-- together with the vector of the passage. Derived.
CREATE TABLE sentence_vector (
  vector INTEGER PRIMARY KEY REFERENCES vector (id) ON DELETE CASCADE,
  quantised BLOB NOT NULL
) STRICT;
