-- The folder that a source was last read from; NULL where an earlier Loci read it.
ALTER TABLE source_read ADD COLUMN root TEXT;
