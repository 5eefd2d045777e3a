/** The types of the graph: nodes and edges that are derived from records, and how they are written and read. */

import type { EdgeType, NodeType } from '../core/graph-types.ts';

/** The place in a record from which a node or an edge was derived. */
export interface GraphProvenance {
  readonly record: number;
  /** Ordinal of the passage that has the lines; `null` for a statement of the record's properties, such as its tags. */
  readonly passage: number | null;
  /** Lines of the record's content, from 1, inclusive; `null` if the statement is in no line. */
  readonly lines: { readonly first: number; readonly last: number } | null;
  /** SHA-256 of these lines, without the last line break; of the whole content if there are none. In hexadecimal. */
  readonly hash: string;
}

export interface GraphNode {
  /** Stable: the same on every machine that indexes the same vault. See `graph/model.ts`. */
  readonly id: string;
  readonly type: NodeType;
  readonly title: string;
  readonly project: string;
  readonly tags: readonly string[];
  /** The record of which it is, or that has the task; `null` for a node that records share, such as a project. */
  readonly record: number | null;
  /** The vault or source of the record; `null` without a record. */
  readonly source: string | null;
  readonly task: TaskState | null;
  /** `null` for a node that records share: its edges say where it comes from. */
  readonly provenance: GraphProvenance | null;
}

export interface TaskState {
  readonly done: boolean;
  /** A day (`2026-11-25`) as the task names it; `null` if it names none. */
  readonly due: string | null;
}

export interface GraphEdge {
  /** Ids of nodes. */
  readonly src: string;
  readonly dst: string;
  readonly type: EdgeType;
  /** More than 0, at most 1. The larger it is, the closer the nodes belong together. */
  readonly weight: number;
  /** Says to a person why the edge is there: "linked under ‘Oven’, line 31". */
  readonly reason: string;
  readonly provenance: GraphProvenance;
}

// ── Writing ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Identifies a node while it is derived, when the ids of other nodes are not known yet: `recordNode` of the record, a key
 * that begins with it for the other nodes of a record, or the id of a node that records share.
 */
export type NodeKey = string;

/** The key of the node of a record. */
export function recordNode(record: number): NodeKey {
  return `r${String(record)}`;
}

export interface NodeDraft extends GraphNode {
  readonly key: NodeKey;
  /** Whether another document of the source has the identity of this one, so that its key identifies it. */
  readonly sharesIdentity: boolean;
}

/** An edge between nodes by key. It is visible as soon as both nodes exist. */
export interface EdgeDraft extends Omit<GraphEdge, 'src' | 'dst'> {
  readonly src: NodeKey;
  readonly dst: NodeKey;
}

/**
 * What derives an edge, and replaces only its own edges of a record: the text and properties of the record (`text`), its
 * vector (`similar`), and the search for the notes of a document (`documents`).
 */
export type GraphLane = 'text' | 'similar' | 'documents';

/** What one record contributes. */
export interface RecordGraph {
  /** The nodes of the record itself; only of the lane `text`. */
  readonly nodes: readonly NodeDraft[];
  readonly edges: readonly EdgeDraft[];
}

export interface GraphUpdate {
  readonly lane: GraphLane;
  /** Replaces what each record has contributed to the lane. Records that are gone are left out. */
  readonly records: ReadonlyMap<number, RecordGraph>;
  /** Nodes that records share. They end with their last edge. */
  readonly shared: readonly NodeDraft[];
  /** The records that were derived because they were stale, as `stale` returned them. */
  readonly settled?: readonly StaleRecord[];
  readonly progress?: Partial<GraphProgress>;
}

/** How far the graph has been derived. */
export interface GraphProgress {
  /** The last change of a record that the lane `text` takes into account; 0 before the first time. */
  readonly upTo: number;
  /** The same for the lane `similar`. */
  readonly similarUpTo: number;
  /** Identifies the rules by which it was derived; empty before the first time. */
  readonly rules: string;
}

/** A record whose edges must be derived again though it has not changed itself, because its links mean other records now. */
export interface StaleRecord {
  readonly record: number;
  /** The change after which it is stale. */
  readonly since: number;
}

// ── Reading ──────────────────────────────────────────────────────────────────────────────────────

/** Which nodes and edges a call may see. */
export interface GraphFilter {
  /** Hides nodes of vaults and sources with these names, and what only such nodes share. */
  readonly excludedSources?: readonly string[];
  /** Only nodes of this project. */
  readonly project?: string;
}

export type NodeSelector =
  | { readonly ids: readonly string[] }
  /** The nodes of these records and their tasks. */
  | { readonly records: readonly number[] };

export interface NeighbourRequest {
  /** Ids of nodes. */
  readonly of: readonly string[];
  readonly direction: 'out' | 'in';
  /** All types unless given. */
  readonly types?: readonly EdgeType[];
  /** Edges of one node at most: those with the highest weight, ties by the id of the other node. */
  readonly limit: number;
  /** The types of edges that may lead to another project. */
  readonly crossProjectTypes: readonly EdgeType[];
  readonly filter: GraphFilter;
}

export interface Neighbours {
  /** In the order of the nodes asked for, then as `limit` says. */
  readonly edges: readonly GraphEdge[];
  /** The nodes at the other ends, by id, each once. */
  readonly nodes: readonly GraphNode[];
}

/** How many edges of each type a node has, counted up to `MAX_COUNTED_DEGREE`. */
export interface NodeDegree {
  readonly id: string;
  readonly out: number;
  readonly in: number;
}

/** Of a node with more edges of the types asked for, `neighbours` ranks only so many of those with the highest weight. */
export const MAX_RANKED_EDGES = 500;

/** A node with more edges counts as having this many. */
export const MAX_COUNTED_DEGREE = 100_000;

export interface EdgeCursor {
  readonly src: string;
  readonly type: EdgeType;
  readonly dst: string;
}

export interface GraphCount {
  readonly project: string;
  readonly type: NodeType;
  readonly nodes: number;
  /** How many of them are records, and not tasks or shared nodes. */
  readonly records: number;
}

export interface GraphCounts {
  /** By project, then by type. */
  readonly nodes: readonly GraphCount[];
  /** By type. */
  readonly edges: readonly { readonly type: EdgeType; readonly edges: number }[];
  /** The nodes that edges of type `tagged` lead to, by id, with the number of these edges. */
  readonly tags: readonly { readonly tag: GraphNode; readonly edges: number }[];
}

export interface GraphState extends GraphProgress {
  /** The last change of a record whose names and mentions of concepts are derived; 0 before the first time. */
  readonly conceptsUpTo: number;
  /** The last change of the namespace. */
  readonly lastChange: number;
  /** Records that are stale. */
  readonly stale: number;
}
