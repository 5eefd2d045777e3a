-- Finds what was written before with the same content; notes of a vault need no such look.
CREATE INDEX record_written ON record (ns, content_hash) WHERE origin = 'memory';
