-- Distributes the tables of Loci over a cluster of Citus by namespace: docs/scale.md. Run it once, as the owner of the tables, after
-- Loci has made them and before it writes: psql --set=ON_ERROR_STOP=1 --single-transaction --file=deploy/citus.sql

-- Citus has no policies with subqueries. On a cluster the conditions of the statements alone separate the namespaces.
DO $$
DECLARE each RECORD;
BEGIN
  FOR each IN SELECT tablename, policyname FROM pg_policies WHERE schemaname = current_schema() AND policyname LIKE 'loci\_%' LOOP
    EXECUTE format('DROP POLICY %I ON %I', each.policyname, each.tablename);
  END LOOP;
END $$;

-- Citus has no triggers that see all changed rows of a statement, so that nothing counts the records and bytes of a namespace: quotas limit
-- requests only.
DROP TRIGGER record_added ON record;
DROP TRIGGER record_changed ON record;
DROP TRIGGER record_removed ON record;

-- What refers to tables that are not yet distributed is made again below.
DROP VIEW all_namespaces, all_removed, all_records, all_pending, all_totals;
ALTER TABLE passage DROP CONSTRAINT passage_ns_record_fkey;
ALTER TABLE sentence_vector DROP CONSTRAINT sentence_vector_ns_vector_fkey;

SELECT create_reference_table('namespace');
SELECT create_reference_table('generation');
SELECT create_distributed_table('record', 'ns');
SELECT create_distributed_table(name, 'ns', colocate_with => 'record')
FROM unnest(ARRAY[
  'namespace_state', 'passage', 'passage_text', 'term', 'embedding', 'sentence_vector', 'audit', 'audit_attachment', 'link',
  'name', 'change', 'belongs_to', 'graph_node', 'graph_edge', 'graph_stale', 'graph_progress', 'concept_record', 'concept_name',
  'concept_mention', 'concept_changed', 'concept_progress', 'item', 'quota', 'request_rate'
]) AS name;

ALTER TABLE passage ADD CONSTRAINT passage_ns_record_fkey FOREIGN KEY (ns, record) REFERENCES record (ns, id);
ALTER TABLE sentence_vector ADD CONSTRAINT sentence_vector_ns_vector_fkey
  FOREIGN KEY (ns, vector) REFERENCES embedding (ns, id) ON DELETE CASCADE;
-- Without subqueries of a reference table that read distributed ones, which Citus does not plan.
CREATE VIEW all_namespaces AS
  SELECT n.id, n.name, r.ns IS NOT NULL AS has_records, r.next_expiry, r.oldest_deletion, i.next_item_expiry, i.oldest_receipt
  FROM namespace AS n JOIN namespace_state AS s ON s.ns = n.id
  LEFT JOIN (SELECT ns, min(expires_at) AS next_expiry, min(deleted_at) AS oldest_deletion FROM record GROUP BY ns) AS r ON r.ns = n.id
  LEFT JOIN (
    SELECT ns, min(expires_at) AS next_item_expiry, min(at) FILTER (WHERE kind = 'receipt') AS oldest_receipt FROM item GROUP BY ns
  ) AS i ON i.ns = n.id
  WHERE s.removed = 0;
CREATE VIEW all_removed AS SELECT n.name FROM namespace AS n JOIN namespace_state AS s ON s.ns = n.id WHERE s.removed = 1;
CREATE VIEW all_records AS
  SELECT ns, expires_at, count(*) AS records FROM record WHERE deleted_at IS NULL GROUP BY ns, expires_at;
CREATE VIEW all_pending AS
  SELECT ns, generation, count(*) AS texts, sum(bytes)::bigint AS bytes FROM (
    SELECT p.ns, g.id AS generation, max(octet_length(p.text)) AS bytes
    FROM (SELECT id FROM generation UNION ALL SELECT 0) AS g CROSS JOIN passage AS p
    JOIN record AS r ON r.ns = p.ns AND r.id = p.record
    LEFT JOIN embedding AS v ON v.ns = p.ns AND v.generation = g.id AND v.hash = p.hash
    WHERE r.deleted_at IS NULL AND v.ns IS NULL
    GROUP BY p.ns, g.id, p.hash) AS content
  GROUP BY ns, generation;
CREATE VIEW all_totals AS
  SELECT r.records, p.passages, v.vectors
  FROM (SELECT count(*) AS records FROM record WHERE deleted_at IS NULL) AS r
  CROSS JOIN (SELECT count(*) AS passages FROM passage) AS p CROSS JOIN (SELECT count(*) AS vectors FROM embedding) AS v;
