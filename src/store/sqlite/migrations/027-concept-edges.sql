-- Edges of concepts follow from names, mentions and the changes of operators when they are read: see `store/concept-model.ts`.
DELETE FROM graph_edge WHERE lane = 'concepts';
DELETE FROM graph_node WHERE type = 'concept' AND record IS NULL
  AND NOT EXISTS (SELECT 1 FROM graph_edge AS e WHERE e.ns = graph_node.ns AND e.src = graph_node.key)
  AND NOT EXISTS (SELECT 1 FROM graph_edge AS e INDEXED BY graph_edge_dst WHERE e.ns = graph_node.ns AND e.dst = graph_node.key);
ALTER TABLE graph_progress DROP COLUMN concepts_up_to;
ALTER TABLE concept_change DROP COLUMN applied;
