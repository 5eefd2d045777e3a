-- Audit logs of other stores, as they were imported. Each row has consecutive entries, one JSON object per line.
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

-- Until now, imported entries were in the tables of the namespace's own log.
INSERT INTO audit_attachment (ns, chain, first_seq, last_seq, head, content)
  SELECT a.ns, a.chain, min(a.seq), max(a.seq), '', group_concat(
    json_object('chain', a.chain, 'seq', a.seq, 'at', a.at, 'actor', a.actor, 'surface', a.surface,
      'action', a.action, 'subject', a.subject, 'diff', CASE WHEN json_valid(a.diff) THEN json(a.diff) END,
      'diffHash', a.diff_hash, 'previous', a.previous, 'hash', a.hash), char(10) ORDER BY a.seq)
  FROM audit AS a JOIN audit_chain AS c ON c.ns = a.ns AND c.chain = a.chain AND c.own = 0
  GROUP BY a.ns, a.chain, (a.seq - 1) / 100
  ORDER BY a.ns, a.chain, min(a.seq);
UPDATE audit_attachment AS t SET head =
  (SELECT hash FROM audit AS a WHERE a.ns = t.ns AND a.chain = t.chain AND a.seq = t.last_seq);

DROP TRIGGER audit_is_kept;
DELETE FROM audit WHERE (ns, chain) IN (SELECT ns, chain FROM audit_chain WHERE own = 0);
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

-- The name and the length of a namespace's log. Entries that are missing at its end are noticed.
CREATE TABLE audit_log (
  ns INTEGER PRIMARY KEY REFERENCES namespace (id),
  chain TEXT NOT NULL,
  length INTEGER NOT NULL,
  head TEXT NOT NULL
) STRICT;
INSERT INTO audit_log SELECT ns, chain, length, head FROM audit_chain WHERE own = 1;
DROP TABLE audit_chain;

CREATE TRIGGER audit_log_is_kept BEFORE DELETE ON audit_log
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_log_only_grows BEFORE UPDATE ON audit_log
WHEN NEW.ns <> OLD.ns OR NEW.chain <> OLD.chain OR NEW.length <= OLD.length
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_log_is_not_replaced BEFORE INSERT ON audit_log
WHEN EXISTS (SELECT 1 FROM audit_log WHERE ns = NEW.ns)
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_attachment_is_kept BEFORE DELETE ON audit_attachment
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;

-- Only the diffs of purged records are erased: the number of lines stays.
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
