-- How far a record can be trusted; before its content, because what stands behind a long text is slow to reach.
CREATE TABLE record_trusted (
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
  content_hash TEXT NOT NULL,
  revision TEXT,
  chunking TEXT,
  session TEXT AS (CASE WHEN json_valid(metadata) THEN CAST(json_extract(metadata, '$.session') AS TEXT) END) VIRTUAL,
  content TEXT NOT NULL,
  PRIMARY KEY (ns, id)
) STRICT;

-- Until now the owner alone wrote: vaults, the command line, the library.
INSERT INTO record_trusted (ns, id, uuid, project, origin, source, trust, key, identity, category, record_type, title,
    tags, metadata, created_at, updated_at, deleted_at, expires_at, content_hash, revision, chunking, content)
  SELECT ns, id, uuid, project, origin, source, 'operator', key, identity, category, record_type, title,
    tags, metadata, created_at, updated_at, deleted_at, expires_at, content_hash, revision, chunking, content
  FROM record;

DROP TABLE record;
ALTER TABLE record_trusted RENAME TO record;

CREATE UNIQUE INDEX record_uuid ON record (ns, uuid);
-- Of facts the key is unique within its category, and free again once the fact is deleted.
CREATE UNIQUE INDEX record_key ON record (ns, source, key) WHERE key IS NOT NULL AND origin <> 'fact';
CREATE UNIQUE INDEX record_fact ON record (ns, key, category) WHERE origin = 'fact' AND deleted_at IS NULL;
-- Facts among a million notes: in the order of lists, and by category.
CREATE INDEX record_facts ON record (ns, id) WHERE origin = 'fact' AND deleted_at IS NULL;
CREATE INDEX record_category ON record (ns, category, updated_at, id, expires_at, key)
  WHERE origin = 'fact' AND deleted_at IS NULL;
CREATE INDEX record_by_key ON record (ns, key) WHERE key IS NOT NULL AND origin <> 'fact';
CREATE INDEX record_session ON record (ns, session, id) WHERE session IS NOT NULL;
CREATE INDEX record_turn ON record (ns, id, session) WHERE session IS NOT NULL;
CREATE INDEX record_written ON record (ns, content_hash) WHERE origin = 'memory';
-- What time ends: facts, and what was deleted long ago.
CREATE INDEX record_expiry ON record (ns, expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX record_deleted ON record (ns, deleted_at, id) WHERE deleted_at IS NOT NULL;

-- Who changed what, when and how: each entry's hash holds the one before it. A namespace writes a chain of its own; the
-- chains of what it imported stand beside it.
CREATE TABLE audit (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  chain TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  surface TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT,
  -- JSON; goes with what it tells of, while its hash stays.
  diff TEXT,
  diff_hash TEXT,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (ns, chain, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_subject ON audit (ns, subject, at);
CREATE INDEX audit_at ON audit (ns, at);

-- How long each chain is: what was cut off its end is missed.
CREATE TABLE audit_chain (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  chain TEXT NOT NULL,
  own INTEGER NOT NULL,
  length INTEGER NOT NULL,
  head TEXT NOT NULL,
  PRIMARY KEY (ns, chain)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX audit_chain_own ON audit_chain (ns) WHERE own = 1;

CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

-- REPLACE deletes without asking the trigger above.
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE ns = NEW.ns AND chain = NEW.chain AND seq = NEW.seq)
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_is_not_rewritten BEFORE UPDATE ON audit
WHEN NEW.diff IS NOT NULL OR NEW.ns <> OLD.ns OR NEW.chain <> OLD.chain OR NEW.seq <> OLD.seq OR NEW.at <> OLD.at
  OR NEW.actor <> OLD.actor OR NEW.surface <> OLD.surface OR NEW.action <> OLD.action
  OR NEW.subject IS NOT OLD.subject OR NEW.diff_hash IS NOT OLD.diff_hash OR NEW.previous <> OLD.previous
  OR NEW.hash <> OLD.hash
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_chain_is_kept BEFORE DELETE ON audit_chain
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_chain_only_grows BEFORE UPDATE ON audit_chain
WHEN NEW.ns <> OLD.ns OR NEW.chain <> OLD.chain OR NEW.own <> OLD.own OR NEW.length <= OLD.length
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_chain_is_not_replaced BEFORE INSERT ON audit_chain
WHEN EXISTS (SELECT 1 FROM audit_chain WHERE ns = NEW.ns AND (chain = NEW.chain OR (own = 1 AND NEW.own = 1)))
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

-- What was asked under a key that its caller chose, and which records it made: asked again, it is not done again.
CREATE TABLE idempotency (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  records TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (ns, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_expiry ON idempotency (ns, expires_at);

-- What an agent is told before it begins; an empty agent means all of them.
CREATE TABLE startup (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  agent TEXT NOT NULL,
  key TEXT NOT NULL,
  priority INTEGER NOT NULL,
  reinforce INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  content TEXT NOT NULL,
  PRIMARY KEY (ns, agent, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE startup_seen (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  agent TEXT NOT NULL,
  session TEXT NOT NULL,
  digest TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (ns, agent, session)
) STRICT, WITHOUT ROWID;

CREATE INDEX startup_seen_at ON startup_seen (at);

-- One for each run of a tool and each run of several steps.
CREATE TABLE history (
  ns INTEGER NOT NULL REFERENCES namespace (id),
  category TEXT NOT NULL,
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  surface TEXT NOT NULL,
  actor TEXT NOT NULL,
  inputs TEXT NOT NULL,
  outcome TEXT NOT NULL,
  at INTEGER NOT NULL,
  took_ms INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (ns, category, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX history_expiry ON history (expires_at);

-- Who may come in over HTTP; of a token only its hash is known.
CREATE TABLE token (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  subject TEXT NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

-- Who does what only one process should do, until when; the number grows with each holder.
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  token INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT;
