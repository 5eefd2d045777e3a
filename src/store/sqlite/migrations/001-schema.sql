-- Tables of SQLite. `application_id` and `user_version` identify the file and the version of its schema.
CREATE TABLE namespace (
  -- No id is given twice, because connections remember ids.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- What writes change of a namespace.
CREATE TABLE namespace_state (
  ns INTEGER PRIMARY KEY REFERENCES namespace (id),
  next_record INTEGER NOT NULL DEFAULT 1,
  epoch INTEGER NOT NULL DEFAULT 0,
  word_epoch INTEGER NOT NULL DEFAULT 0,
  last_change INTEGER NOT NULL DEFAULT 0,
  trimmed_change INTEGER NOT NULL DEFAULT 0,
  belongs_to_change INTEGER NOT NULL DEFAULT 0,
  belongs_to_excluded TEXT NOT NULL DEFAULT '[]',
  belongs_to_pass TEXT,
  -- The name and the end of the audit log: entries that are missing at its end are noticed.
  audit_chain TEXT,
  audit_length INTEGER NOT NULL DEFAULT 0,
  audit_head TEXT,
  -- 1 while the namespace is being removed.
  removed INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The namespace of tokens, which belong to no caller.
INSERT INTO namespace (id, name) VALUES (0, '');
INSERT INTO namespace_state (ns) VALUES (0);

-- What is kept: the records of each namespace. `content` stands last, because SQLite reaches what stands behind a long text only through all
-- of its pages.
CREATE TABLE record (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  id INTEGER NOT NULL,
  uuid TEXT NOT NULL,
  project TEXT NOT NULL,
  origin TEXT NOT NULL,
  source TEXT NOT NULL,
  trust TEXT NOT NULL,
  key TEXT,
  identity TEXT,
  category TEXT NOT NULL,
  record_type TEXT NOT NULL,
  title TEXT NOT NULL,
  tags TEXT NOT NULL,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  expires_at INTEGER,
  timeline_at INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  revision TEXT,
  -- Which chunking made the passages; NULL: none yet.
  chunking TEXT,
  -- JSON nested deeper than SQLite reads (1,000) has no session, and does no harm.
  session TEXT AS (CASE WHEN json_valid(metadata) THEN CAST(json_extract(metadata, '$.session') AS TEXT) END) VIRTUAL,
  content TEXT NOT NULL,
  PRIMARY KEY (ns, id)
) STRICT;
CREATE UNIQUE INDEX record_uuid ON record (ns, uuid);
CREATE UNIQUE INDEX record_key ON record (ns, source, key) WHERE key IS NOT NULL AND origin <> 'fact';
CREATE UNIQUE INDEX record_fact ON record (ns, key, category) WHERE origin = 'fact' AND deleted_at IS NULL;
CREATE INDEX record_facts ON record (ns, id) WHERE origin = 'fact' AND deleted_at IS NULL;
CREATE INDEX record_category ON record (ns, category, updated_at, id, expires_at, key)
  WHERE origin = 'fact' AND deleted_at IS NULL;
CREATE INDEX record_by_key ON record (ns, key) WHERE key IS NOT NULL AND origin <> 'fact';
CREATE INDEX record_session ON record (ns, session, id) WHERE session IS NOT NULL;
CREATE INDEX record_turn ON record (ns, id, session) WHERE session IS NOT NULL;
CREATE INDEX record_written ON record (ns, content_hash) WHERE origin = 'memory';
CREATE INDEX record_expiry ON record (ns, expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX record_deleted ON record (ns, deleted_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX record_created ON record (ns, created_at, id, expires_at) WHERE deleted_at IS NULL;
CREATE INDEX record_identity ON record (ns, source, identity) WHERE identity IS NOT NULL;
CREATE INDEX record_timeline ON record (ns, timeline_at, id) WHERE deleted_at IS NULL;

-- Everything from here to the audit log is derived from the records, and can be made again.
CREATE TABLE passage (
  -- Also the rowid in the namespace's full-text index.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  headings TEXT NOT NULL,
  text TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  hash BLOB NOT NULL,
  context TEXT,
  FOREIGN KEY (ns, record) REFERENCES record (ns, id)
) STRICT;
CREATE UNIQUE INDEX passage_record ON passage (ns, record, ordinal);
CREATE INDEX passage_hash ON passage (ns, hash, record);

-- The vocabulary: folded words with the number of passages that have them.
CREATE TABLE term (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  word TEXT NOT NULL,
  stem TEXT NOT NULL,
  passages INTEGER NOT NULL,
  PRIMARY KEY (ns, word)
) STRICT, WITHOUT ROWID;
CREATE INDEX term_stem ON term (ns, stem);

-- Changes of the vocabulary that no row of `term` has yet, as JSON.
CREATE TABLE word_change (
  id INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespace (id),
  words INTEGER NOT NULL,
  changes TEXT NOT NULL
) STRICT;
CREATE INDEX word_change_ns ON word_change (ns);

CREATE TABLE generation (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  active INTEGER NOT NULL DEFAULT 0,
  UNIQUE (provider, model, dimensions)
) STRICT;
CREATE UNIQUE INDEX generation_active ON generation (active) WHERE active = 1;

-- One vector for each content of a passage and generation: a scale as float32, then one signed byte for each dimension.
CREATE TABLE embedding (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  ns INTEGER NOT NULL REFERENCES namespace (id),
  generation INTEGER NOT NULL REFERENCES generation (id),
  hash BLOB NOT NULL,
  quantised BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX vector_hash ON embedding (ns, generation, hash);
CREATE INDEX vector_order ON embedding (ns, generation);

-- The vectors of the sentences of a passage in the format of `embedding.quantised`, one after the other.
CREATE TABLE sentence_vector (
  vector INTEGER PRIMARY KEY REFERENCES embedding (id) ON DELETE CASCADE,
  quantised BLOB NOT NULL
) STRICT;

-- Sign codes of up to 4,096 vectors in a blob, because many rows take longer to load.
CREATE TABLE code_chunk (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  generation INTEGER NOT NULL REFERENCES generation (id),
  last_vector INTEGER NOT NULL,
  vectors BLOB NOT NULL,
  codes BLOB NOT NULL,
  PRIMARY KEY (ns, generation, last_vector)
) STRICT, WITHOUT ROWID;

-- Grows when vectors are removed, so that codes in memory are loaded again.
CREATE TABLE vector_epoch (epoch INTEGER NOT NULL) STRICT;
INSERT INTO vector_epoch VALUES (0);

-- Who changed what, when and how. The hash of an entry covers that of the one before it. A namespace writes one chain.
CREATE TABLE audit (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  chain TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  surface TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT,
  -- JSON. It is erased with the record that it is about; its hash stays.
  diff TEXT,
  diff_hash TEXT,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,
  session TEXT,
  PRIMARY KEY (ns, chain, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_subject ON audit (ns, subject, at);
CREATE INDEX audit_at ON audit (ns, at);
CREATE INDEX audit_session ON audit (ns, session) WHERE session IS NOT NULL;
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE ns = NEW.ns AND chain = NEW.chain AND seq = NEW.seq)
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;
-- A log goes with its namespace, if the last entry about it in the log of the administrative namespace says so.
CREATE VIEW removed_log AS
  SELECT n.id AS ns FROM namespace AS n JOIN namespace_state AS s ON s.ns = n.id WHERE s.removed = 1 AND (
    SELECT e.action FROM audit AS e WHERE e.ns = (SELECT id FROM namespace WHERE name = '') AND e.subject = 'namespace:' || n.name
    ORDER BY e.seq DESC LIMIT 1
  ) = 'namespace-delete';
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN NOT EXISTS (SELECT 1 FROM removed_log WHERE ns = OLD.ns)
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_is_not_rewritten BEFORE UPDATE ON audit
WHEN NEW.diff IS NOT NULL OR NEW.ns <> OLD.ns OR NEW.chain <> OLD.chain OR NEW.seq <> OLD.seq OR NEW.at <> OLD.at
  OR NEW.actor <> OLD.actor OR NEW.surface <> OLD.surface OR NEW.action <> OLD.action
  OR NEW.subject IS NOT OLD.subject OR NEW.diff_hash IS NOT OLD.diff_hash OR NEW.previous <> OLD.previous
  OR NEW.hash <> OLD.hash OR NEW.session IS NOT OLD.session
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER namespace_state_is_kept BEFORE DELETE ON namespace_state
WHEN OLD.audit_chain IS NOT NULL AND NOT EXISTS (SELECT 1 FROM removed_log WHERE ns = OLD.ns)
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_log_only_grows BEFORE UPDATE ON namespace_state
WHEN OLD.audit_chain IS NOT NULL AND (NEW.ns <> OLD.ns OR NEW.audit_chain IS NOT OLD.audit_chain
  OR NEW.audit_length < OLD.audit_length OR (NEW.audit_length = OLD.audit_length AND NEW.audit_head IS NOT OLD.audit_head))
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER namespace_state_is_not_replaced BEFORE INSERT ON namespace_state
WHEN EXISTS (SELECT 1 FROM namespace_state WHERE ns = NEW.ns AND audit_chain IS NOT NULL)
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

-- Logs of other stores, as they were imported. Each row has consecutive entries, one JSON object a line. Erasing the diffs of purged
-- records keeps the number of lines.
CREATE TABLE audit_attachment (
  id INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespace (id),
  chain TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  -- The hash of the last entry, which covers all entries of the chain up to it.
  head TEXT NOT NULL,
  content TEXT NOT NULL,
  UNIQUE (ns, chain, first_seq)
) STRICT;
CREATE TRIGGER audit_attachment_is_kept BEFORE DELETE ON audit_attachment
WHEN NOT EXISTS (SELECT 1 FROM removed_log WHERE ns = OLD.ns)
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_attachment_is_not_rewritten BEFORE UPDATE ON audit_attachment
WHEN NEW.id <> OLD.id OR NEW.ns <> OLD.ns OR NEW.chain <> OLD.chain OR NEW.first_seq <> OLD.first_seq
  OR NEW.last_seq <> OLD.last_seq OR NEW.head <> OLD.head
  OR length(NEW.content) - length(replace(NEW.content, char(10), ''))
    <> length(OLD.content) - length(replace(OLD.content, char(10), ''))
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_attachment_is_not_replaced BEFORE INSERT ON audit_attachment
WHEN EXISTS (
  SELECT 1 FROM audit_attachment
  WHERE id = NEW.id OR (ns = NEW.ns AND chain = NEW.chain AND last_seq >= NEW.first_seq))
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

-- What a namespace keeps beside its records: see `items/kinds.ts`.
CREATE TABLE item (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  position INTEGER NOT NULL,
  at INTEGER NOT NULL,
  expires_at INTEGER,
  type TEXT,
  ref TEXT,
  body TEXT NOT NULL,
  PRIMARY KEY (ns, kind, key)
) STRICT;
CREATE INDEX item_position ON item (ns, kind, position);
CREATE INDEX item_at ON item (ns, kind, at, key);
CREATE INDEX item_ref ON item (ns, kind, ref, at, key) WHERE ref IS NOT NULL;
CREATE INDEX item_expiry ON item (ns, expires_at) WHERE expires_at IS NOT NULL;

-- Which process does what only one may do, and until when. The number grows with each holder.
CREATE TABLE lease (
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  holder TEXT NOT NULL,
  token INTEGER NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;

-- The newest change of each record, in order: what reads only what has changed starts behind a sequence.
CREATE TABLE change (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  sequence INTEGER NOT NULL,
  record INTEGER NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (ns, sequence)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX change_record ON change (ns, record);
CREATE INDEX change_removed ON change (ns, sequence) WHERE kind = 'removed';

-- The links of records, as they are written.
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

-- The names by which links, lookups and texts refer to records: `link`, `note` and `mention`.
CREATE TABLE name (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  record INTEGER NOT NULL,
  PRIMARY KEY (ns, kind, name, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX name_record ON name (ns, record);

-- To which notes a document of a source belongs.
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

CREATE TABLE graph_node (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  -- `r12` for record 12, `r12/…` for its tasks, and the id for a node that records share.
  key TEXT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  title TEXT NOT NULL,
  project TEXT NOT NULL,
  tags TEXT NOT NULL,
  record INTEGER,
  source TEXT,
  -- 1: another document of the source has the identity of this one.
  shares_identity INTEGER NOT NULL,
  done INTEGER,
  due TEXT,
  passage INTEGER,
  first_line INTEGER,
  last_line INTEGER,
  hash TEXT,
  PRIMARY KEY (ns, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX graph_node_id ON graph_node (ns, id);
CREATE INDEX graph_node_record ON graph_node (ns, record) WHERE record IS NOT NULL;
CREATE INDEX graph_node_shared_identity ON graph_node (ns, source) WHERE shares_identity = 1;

CREATE TABLE graph_edge (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  -- Keys of nodes. A node that is not derived yet has no row.
  src TEXT NOT NULL,
  type TEXT NOT NULL,
  dst TEXT NOT NULL,
  lane TEXT NOT NULL,
  weight REAL NOT NULL,
  reason TEXT NOT NULL,
  record INTEGER NOT NULL,
  passage INTEGER,
  first_line INTEGER,
  last_line INTEGER,
  hash TEXT NOT NULL,
  PRIMARY KEY (ns, src, type, dst)
) STRICT, WITHOUT ROWID;
CREATE INDEX graph_edge_dst ON graph_edge (ns, dst, weight DESC);
CREATE INDEX graph_edge_record ON graph_edge (ns, record, lane);

CREATE TABLE graph_stale (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (ns, record)
) STRICT, WITHOUT ROWID;

CREATE TABLE graph_progress (
  ns INTEGER PRIMARY KEY REFERENCES namespace (id),
  up_to INTEGER NOT NULL DEFAULT 0,
  similar_up_to INTEGER NOT NULL DEFAULT 0,
  rules TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE concept_record (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  project TEXT NOT NULL,
  -- The id of the record's node in the graph if it is a note.
  note TEXT,
  PRIMARY KEY (ns, record)
) STRICT, WITHOUT ROWID;

CREATE TABLE concept_name (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  key TEXT NOT NULL,
  project TEXT NOT NULL,
  text TEXT NOT NULL,
  kind TEXT NOT NULL,
  line INTEGER,
  PRIMARY KEY (ns, record, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX concept_name_key ON concept_name (ns, project, key, kind, text);

CREATE TABLE concept_mention (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  record INTEGER NOT NULL,
  key TEXT NOT NULL,
  project TEXT NOT NULL,
  line INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (ns, record, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX concept_mention_key ON concept_mention (ns, project, key);

CREATE TABLE concept_progress (
  ns INTEGER PRIMARY KEY REFERENCES namespace (id),
  up_to INTEGER NOT NULL,
  rules TEXT NOT NULL
) STRICT;

CREATE TABLE concept_changed (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  project TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (ns, project, key)
) STRICT, WITHOUT ROWID;

-- How much a namespace keeps, and how much it may: records that are not deleted, bytes of UTF-8 in the contents of all records, and requests
-- a minute. NULL is no limit.
CREATE TABLE quota (
  ns INTEGER PRIMARY KEY REFERENCES namespace (id),
  records INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  max_records INTEGER,
  max_bytes INTEGER,
  max_requests INTEGER
) STRICT;
CREATE TRIGGER record_added AFTER INSERT ON record
BEGIN
  INSERT INTO quota (ns, records, bytes) VALUES (NEW.ns, NEW.deleted_at IS NULL, octet_length(NEW.content))
  ON CONFLICT (ns) DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER record_changed AFTER UPDATE OF deleted_at, content ON record
BEGIN
  UPDATE quota SET records = records + (NEW.deleted_at IS NULL) - (OLD.deleted_at IS NULL),
    bytes = bytes + octet_length(NEW.content) - octet_length(OLD.content) WHERE ns = NEW.ns;
END;
CREATE TRIGGER record_removed AFTER DELETE ON record
BEGIN
  UPDATE quota SET records = records - (OLD.deleted_at IS NULL), bytes = bytes - octet_length(OLD.content) WHERE ns = OLD.ns;
END;
-- The requests of a namespace with a limit, in microseconds: when the last one came, and until when the limit is used up.
CREATE TABLE request_rate (
  ns INTEGER PRIMARY KEY REFERENCES namespace (id),
  at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  refused INTEGER NOT NULL
) STRICT;

-- Figures of all namespaces. PostgreSQL has the same views.
CREATE VIEW all_namespaces AS
  SELECT n.id, n.name, EXISTS (SELECT 1 FROM record AS r WHERE r.ns = n.id) AS has_records,
    (SELECT min(r.expires_at) FROM record AS r WHERE r.ns = n.id AND r.expires_at IS NOT NULL) AS next_expiry,
    (SELECT min(r.deleted_at) FROM record AS r WHERE r.ns = n.id AND r.deleted_at IS NOT NULL) AS oldest_deletion,
    (SELECT min(i.expires_at) FROM item AS i WHERE i.ns = n.id AND i.expires_at IS NOT NULL) AS next_item_expiry,
    (SELECT min(i.at) FROM item AS i WHERE i.ns = n.id AND i.kind = 'receipt') AS oldest_receipt
  FROM namespace AS n JOIN namespace_state AS s ON s.ns = n.id WHERE s.removed = 0;
-- The namespaces that are being removed.
CREATE VIEW all_removed AS SELECT n.name FROM namespace AS n JOIN namespace_state AS s ON s.ns = n.id WHERE s.removed = 1;
-- The records that are not deleted, by the time when they expire.
CREATE VIEW all_records AS
  SELECT ns, expires_at, count(*) AS records FROM record WHERE deleted_at IS NULL GROUP BY ns, expires_at;
-- The distinct texts without a vector of a generation, and their bytes. Generation 0 has no vectors.
CREATE VIEW all_pending AS
  SELECT ns, generation, count(*) AS texts, sum(bytes) AS bytes FROM (
    SELECT p.ns, g.id AS generation, max(octet_length(p.text)) AS bytes
    FROM (SELECT id FROM generation UNION ALL SELECT 0) AS g CROSS JOIN passage AS p
    JOIN record AS r ON r.ns = p.ns AND r.id = p.record
    WHERE r.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM embedding AS v WHERE v.ns = p.ns AND v.generation = g.id AND v.hash = p.hash)
    GROUP BY p.ns, g.id, p.hash) AS content
  GROUP BY ns, generation;
CREATE VIEW all_totals AS
  SELECT (SELECT count(*) FROM record WHERE deleted_at IS NULL) AS records, (SELECT count(*) FROM passage) AS passages,
    (SELECT count(*) FROM embedding) AS vectors;
