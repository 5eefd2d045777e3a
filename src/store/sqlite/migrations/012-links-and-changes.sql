-- The keys that links can mean. A key and every link that can mean it share a name: see `nameOfKey`.
CREATE TABLE link_key (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  source TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (ns, record)
) STRICT, WITHOUT ROWID;

CREATE INDEX link_key_name ON link_key (ns, source, name, key);

-- The links of records that are not deleted. Derived from their metadata and the keys above.
CREATE TABLE link (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  position INTEGER NOT NULL,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  -- The record that the link means; NULL if there is none.
  target_record INTEGER,
  PRIMARY KEY (ns, record, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX link_name ON link (ns, source, name);
CREATE INDEX link_target ON link (ns, target_record) WHERE target_record IS NOT NULL;
CREATE INDEX link_unresolved ON link (ns, record, position) WHERE target_record IS NULL;

-- The last change of each record, in the order of the changes.
CREATE TABLE change (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  sequence INTEGER NOT NULL,
  record INTEGER NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (ns, sequence)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX change_record ON change (ns, record);
CREATE INDEX change_removed ON change (ns, sequence) WHERE kind = 'removed';

INSERT INTO change (ns, sequence, record, kind)
  SELECT ns, row_number() OVER (PARTITION BY ns ORDER BY id), id, CASE WHEN deleted_at IS NULL THEN 'written' ELSE 'deleted' END
  FROM record;

ALTER TABLE namespace ADD COLUMN last_change INTEGER NOT NULL DEFAULT 0;
-- The last change that was trimmed: who follows from before it may have missed a removal.
ALTER TABLE namespace ADD COLUMN trimmed_change INTEGER NOT NULL DEFAULT 0;
UPDATE namespace SET last_change = (SELECT count(*) FROM record WHERE ns = namespace.id);
