-- The edges of documents are derived again, since their notes are now chosen by their sentences.
DELETE FROM belongs_to;
UPDATE namespace SET belongs_to_change = 0, belongs_to_pass = NULL;
