-- The full-text index and its vocabulary are derived again, since texts have other terms: see `rebuildText`.
DELETE FROM term;
DELETE FROM word_change;
UPDATE namespace SET epoch = epoch + 1, word_epoch = word_epoch + 1;
