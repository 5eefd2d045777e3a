-- The names by which links, lookups and texts refer to records: `link`, `note` and `mention`.
CREATE TABLE name (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  record INTEGER NOT NULL,
  PRIMARY KEY (ns, kind, name, record)
) STRICT, WITHOUT ROWID;

CREATE INDEX name_record ON name (ns, record);

DROP TABLE IF EXISTS note_name;
DROP TABLE IF EXISTS mention_name;
DROP TABLE IF EXISTS link_key;
DROP TABLE IF EXISTS record_time;
