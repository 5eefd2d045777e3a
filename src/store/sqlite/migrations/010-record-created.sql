-- What is nearest to a moment, behind it and ahead of it, among a million notes.
CREATE INDEX record_created ON record (ns, created_at, id, expires_at) WHERE deleted_at IS NULL;
