import { storedTexts } from '../stored-json.ts';
import type { EdgeType, NodeType } from '../../../core/graph-types.ts';
import type { GraphEdge, GraphFilter, GraphNode, GraphProvenance } from '../../graph-model.ts';
import type { Dialect, Parameters, Row } from '../sql.ts';

export const NODE_FIELDS = [
  ...['id', 'type', 'title', 'project', 'tags', 'record', 'source', 'done', 'due'],
  ...['passage', 'first_line', 'last_line', 'hash'],
];
export const NODE_COLUMNS = NODE_FIELDS.map((field) => `n.${field}`).join(', ');
export const EDGE_COLUMNS = `e.type, e.weight, e.reason, e.record, e.passage, e.first_line, e.last_line, e.hash`;

/** The conditions of a filter, with their parameters. */
export interface Visibility {
  /** Whether a node is of the project, and of no hidden source. */
  readonly isVisible: (node: string) => string;
  /** Whether the node `n` is of a record, or shared by a visible one: an edge leads to it from one, or from it to one. */
  readonly isShared: string;
  readonly parameters: Parameters;
}

export function visibility(
  { isIn, index, join }: Dialect,
  { project, excludedSources = [] }: GraphFilter,
): Visibility {
  const isHidden = isIn('o.source', 'excluded');
  const conditions = (node: string): string[] => [
    ...(project === undefined ? [] : [`${node}.project = :project`]),
    ...(excludedSources.length === 0
      ? []
      : [`(${node}.source IS NULL OR NOT ${isIn(`${node}.source`, 'excluded')})`]),
  ];
  return {
    isVisible: (node) => ['TRUE', ...conditions(node)].join(' AND '),
    isShared:
      excludedSources.length === 0
        ? 'TRUE'
        : `(n.source IS NOT NULL OR EXISTS (
    SELECT 1 FROM graph_edge AS e ${index('graph_edge_dst')} ${join} graph_node AS o ON o.ns = e.ns AND o.key = e.src
    WHERE e.ns = n.ns AND e.dst = n.key AND NOT ${isHidden})
  OR EXISTS (
    SELECT 1 FROM graph_edge AS e ${join} graph_node AS o ON o.ns = e.ns AND o.key = e.dst
    WHERE e.ns = n.ns AND e.src = n.key AND NOT ${isHidden}))`,
    parameters: {
      ...(project !== undefined && { project }),
      ...(excludedSources.length > 0 && { excluded: excludedSources }),
    },
  };
}

export function nodeOf(row: Row): GraphNode {
  const done = row['done'] as number | null;
  return {
    id: row['id'] as string,
    type: row['type'] as NodeType,
    title: row['title'] as string,
    project: row['project'] as string,
    tags: storedTexts(row['tags'], () => `the list of tags of node ${String(row['id'])}`),
    record: row['record'] as number | null,
    source: row['source'] as string | null,
    task: done === null ? null : { done: done === 1, due: row['due'] as string | null },
    provenance: row['hash'] === null ? null : provenanceOf(row),
  };
}

export function edgeOf(row: Row, src: string, dst: string): GraphEdge {
  return {
    src,
    dst,
    type: row['type'] as EdgeType,
    weight: row['weight'] as number,
    reason: row['reason'] as string,
    provenance: provenanceOf(row),
  };
}

function provenanceOf(row: Row): GraphProvenance {
  const first = row['first_line'] as number | null;
  return {
    record: row['record'] as number,
    passage: row['passage'] as number | null,
    lines: first === null ? null : { first, last: row['last_line'] as number },
    hash: row['hash'] as string,
  };
}
