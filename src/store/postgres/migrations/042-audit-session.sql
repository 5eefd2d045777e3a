-- The session in which an agent made a change. Entries without one have the hash that they have always had.
ALTER TABLE audit ADD COLUMN session TEXT COLLATE "C";
CREATE INDEX audit_session ON audit (ns, session) WHERE session IS NOT NULL;

DROP TRIGGER audit_is_not_rewritten ON audit;
CREATE TRIGGER audit_is_not_rewritten BEFORE UPDATE ON audit FOR EACH ROW
  WHEN (NEW.diff IS NOT NULL OR (NEW.ns, NEW.chain, NEW.seq, NEW.at, NEW.actor, NEW.surface, NEW.action, NEW.previous, NEW.hash)
      <> (OLD.ns, OLD.chain, OLD.seq, OLD.at, OLD.actor, OLD.surface, OLD.action, OLD.previous, OLD.hash)
    OR NEW.subject IS DISTINCT FROM OLD.subject OR NEW.diff_hash IS DISTINCT FROM OLD.diff_hash
    OR NEW.session IS DISTINCT FROM OLD.session)
  EXECUTE FUNCTION loci_append_only();
