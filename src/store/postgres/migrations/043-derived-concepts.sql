-- Concepts follow from what records say alone.
DELETE FROM item WHERE kind = 'concept_change';
