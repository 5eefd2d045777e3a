-- The session in which an agent made a change. Entries without one have the hash that they have always had.
ALTER TABLE audit ADD COLUMN session TEXT;
CREATE INDEX audit_session ON audit (ns, session) WHERE session IS NOT NULL;

DROP TRIGGER audit_is_not_rewritten;
CREATE TRIGGER audit_is_not_rewritten BEFORE UPDATE ON audit
WHEN NEW.diff IS NOT NULL OR NEW.ns <> OLD.ns OR NEW.chain <> OLD.chain OR NEW.seq <> OLD.seq OR NEW.at <> OLD.at
  OR NEW.actor <> OLD.actor OR NEW.surface <> OLD.surface OR NEW.action <> OLD.action
  OR NEW.subject IS NOT OLD.subject OR NEW.diff_hash IS NOT OLD.diff_hash OR NEW.previous <> OLD.previous
  OR NEW.hash <> OLD.hash OR NEW.session IS NOT OLD.session
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;
