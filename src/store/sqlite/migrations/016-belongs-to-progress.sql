-- The vaults whose notes the edges in belongs_to leave out, as a JSON list of names.
ALTER TABLE namespace ADD COLUMN belongs_to_excluded TEXT NOT NULL DEFAULT '[]';

-- How far a pass over all documents is, as {"upTo": CHANGE, "document": ID}; null if none has begun.
ALTER TABLE namespace ADD COLUMN belongs_to_pass TEXT;
