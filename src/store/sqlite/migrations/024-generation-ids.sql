-- An id of a generation is never given again: a process may still write vectors with the id of one that was removed.
CREATE TABLE new_generation (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  active INTEGER NOT NULL DEFAULT 0,
  UNIQUE (provider, model, dimensions)
) STRICT;

INSERT INTO new_generation (id, provider, model, dimensions, active)
  SELECT id, provider, model, dimensions, active FROM generation;
DROP TABLE generation;
ALTER TABLE new_generation RENAME TO generation;
CREATE UNIQUE INDEX generation_active ON generation (active) WHERE active = 1;
