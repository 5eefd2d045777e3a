/** The types of the graph: nodes and edges that are derived from records, and how they are written and read. */

import type { EdgeType, NodeType } from '../core/graph-types.ts';
import type { ProjectName } from './concept-model.ts';

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

/** What the graph has of a record in a lane, in the order of the keys. */
export interface Contribution extends RecordGraph {
  /** Whether the source of the record has another live document with its identity now; only told of the lane `text`. */
  readonly isSharing: boolean;
}

export interface GraphUpdate {
  readonly lane: GraphLane;
  /** Replaces what each record has contributed to the lane. Records that are gone are left out. */
  readonly records: ReadonlyMap<number, RecordGraph>;
  /** Nodes that records share. They end with their last edge. */
  readonly shared: readonly NodeDraft[];
  /** The records that were derived because they were stale, as `waiting` returned them. */
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
  /** In this order, each once. */
  | { readonly ids: readonly string[] }
  /** The nodes of these records and their tasks. The node of a record precedes its tasks. */
  | { readonly records: readonly number[] }
  /** All nodes, by id. */
  | { readonly page: { readonly after: string | null; readonly limit: number } };

export interface NeighbourRequest {
  /** Ids of nodes. */
  readonly of: readonly string[];
  /** Edges of one node in each direction at most: those with the highest weight, ties by the id of the other node, then by type. */
  readonly limit: number;
  /** A node with more edges has none here; all have them unless given. */
  readonly maxDegree?: number;
  /** The types of edges that may lead to another project. */
  readonly crossProjectTypes: readonly EdgeType[];
  /** The nodes of projects, whose records are counted where tags are found. */
  readonly projects?: readonly { readonly project: string; readonly node: string }[];
  /** Whether edges to nodes of excluded sources count; never for a concept, of which a caller must not know by what it is called. */
  readonly countsHidden?: boolean;
  readonly filter: GraphFilter;
}

export interface Neighbours {
  /** Edges from the nodes: in the order of the nodes asked for, then as `limit` says. */
  readonly out: readonly GraphEdge[];
  /** Edges to the nodes, in the same order. */
  readonly in: readonly GraphEdge[];
  /** The nodes at the other ends, by id, each once. */
  readonly nodes: readonly GraphNode[];
  /** Of the nodes asked for that are there, in this order. */
  readonly degrees: readonly NodeDegree[];
  /** The tags among the nodes asked for and at the other ends of edges of type `tagged`. */
  readonly tags: readonly TagCount[];
}

/** How many records have a tag, and how many its project has, of all sources; each up to `MAX_COUNTED_DEGREE`. */
export interface TagCount {
  readonly id: string;
  readonly tagged: number;
  readonly records: number;
}

/** How many edges a node has, counted up to `MAX_COUNTED_DEGREE`; up to one more than `maxDegree` if that is given. */
export interface NodeDegree extends Pick<GraphNode, 'id' | 'record'> {
  readonly out: number;
  readonly in: number;
}

/** Of a node with more edges in a direction, `neighbours` ranks only so many of those with the highest weight. */
export const MAX_RANKED_EDGES = 500;

/** A node with more edges counts as having this many. */
export const MAX_COUNTED_DEGREE = 100_000;

export interface EdgeCursor {
  readonly src: string;
  readonly type: EdgeType;
  readonly dst: string;
}

/** What is read of all nodes and edges in the shortest time: the nodes by their keys, and no places of edges. */
export interface GraphOutline {
  /** Nodes that pass the filter, by id. */
  readonly nodes: readonly (GraphNode & { readonly key: NodeKey })[];
  /** All edges from these nodes, between keys; the other node need not pass the filter. */
  readonly edges: readonly Omit<EdgeDraft, 'provenance'>[];
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
  /** Identifies the rules by which these were derived; empty before the first time. */
  readonly conceptRules: string;
  /** The last change of the namespace. */
  readonly lastChange: number;
  /** Records that are stale. */
  readonly stale: number;
  /** Titles and aliases that records got or lost, and for which texts were not searched since. */
  readonly changedNames: number;
  readonly waiting: Waiting;
}

/** What must be derived again. */
export interface Waiting {
  /** By id. Those that have changed themselves are in the change feed instead. */
  readonly records: readonly StaleRecord[];
  /** Titles and aliases for which texts were not searched since a record got or lost them, by project and key. */
  readonly names: readonly ProjectName[];
}

// ── Notes of documents ─────────────────────────────────────────────────────────────────────────────

/** An edge from a document of a source to a note that the document's own text finds. */
export interface BelongsTo {
  readonly document: number;
  /** The document's first passage. */
  readonly passage: number;
  readonly note: number;
  readonly noteTitle: string;
  /** The selected note: `note`, or a note that links to it. For a selection by document always `note`. */
  readonly via: number;
  /** How many links `via` has, if it is not `note`; else 0. */
  readonly links: number;
  /** Place of the note among those that the document's text finds, from 1. */
  readonly position: number;
  /** The note's ranking score as a share of the best note's. 0 to 1. */
  readonly share: number;
  /** The confidence of that search in the note. 0 to 1. */
  readonly confidence: number;
}

export type BelongsToSelector =
  /** Edges to these notes, and to the notes that they link to. */
  | { readonly notes: readonly number[] }
  /** Edges of these documents. */
  | { readonly documents: readonly number[] };

/** A note that the text of a document finds. */
export type NoteOfDocument = Pick<BelongsTo, 'note' | 'share' | 'confidence'>;

export interface BelongsToUpdate {
  /** The notes of each document, best first. They replace those that the document had. */
  readonly edges: ReadonlyMap<number, readonly NoteOfDocument[]>;
  readonly progress: BelongsToProgress;
}

/** How far the edges of documents have been derived. */
export interface BelongsToProgress {
  /** The last change of a record that all edges take into account; 0 before the first time. */
  readonly upTo: number;
  /** The vaults whose notes were left out. */
  readonly excludedSources: readonly string[];
  /** A pass over all documents that has not ended; `null` if there is none. */
  readonly pass: BelongsToPass | null;
}

export interface BelongsToPass {
  /** The last change when the pass began. */
  readonly upTo: number;
  /** The id of the last document that is done. The documents are in the order of their ids. */
  readonly document: number;
}
