/** The types of the nodes and edges of the graph. */

export const NODE_TYPES = [
  'project',
  'note',
  'decision',
  'task',
  'event',
  'report',
  'link',
  'record',
  'concept',
] as const;
export type NodeType = (typeof NODE_TYPES)[number];

export const EDGE_TYPES = [
  'links_to',
  'embeds',
  'mentions',
  'tagged',
  'part_of',
  'similar_to',
  'supersedes',
  'same_as',
  'derived_from',
] as const;
export type EdgeType = (typeof EDGE_TYPES)[number];
