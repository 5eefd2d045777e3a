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

-- What refers to tables that are not yet distributed is made again below.
DROP VIEW all_namespaces;
ALTER TABLE passage DROP CONSTRAINT passage_ns_record_fkey;
ALTER TABLE sentence_vector DROP CONSTRAINT sentence_vector_ns_vector_fkey;

SELECT create_reference_table('namespace');
SELECT create_reference_table('generation');
SELECT create_distributed_table('record', 'ns');
SELECT create_distributed_table(name, 'ns', colocate_with => 'record')
FROM unnest(ARRAY[
  'namespace_state', 'passage', 'passage_text', 'term', 'embedding', 'sentence_vector', 'audit', 'audit_attachment', 'link',
  'name', 'change', 'belongs_to', 'graph_node', 'graph_edge', 'graph_stale', 'graph_progress', 'concept_record', 'concept_name',
  'concept_mention', 'concept_changed', 'concept_progress', 'item'
]) AS name;

ALTER TABLE passage ADD CONSTRAINT passage_ns_record_fkey FOREIGN KEY (ns, record) REFERENCES record (ns, id);
ALTER TABLE sentence_vector ADD CONSTRAINT sentence_vector_ns_vector_fkey
  FOREIGN KEY (ns, vector) REFERENCES embedding (ns, id) ON DELETE CASCADE;
CREATE VIEW all_namespaces AS
  SELECT n.id, n.name, r.ns IS NOT NULL AS has_records
  FROM namespace AS n LEFT JOIN (SELECT DISTINCT ns FROM record) AS r ON r.ns = n.id;
