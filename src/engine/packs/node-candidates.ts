import type { NodeType } from '../../core/graph-types.ts';
import type { GraphNode } from '../../store/graph-model.ts';
import type { Candidate } from '../../pack/candidate.ts';
import type { NodeCandidate } from '../../pack/node-items.ts';
import type { ReceiptPiece } from '../../pack/receipt.ts';

/** A node in a text, as the caller sees it beside the text. */
export interface ShownCandidate {
  /** The id of the node; the citation of its record where the graph does not know it. */
  readonly id: string;
  readonly type: NodeType;
  readonly title: string;
  readonly project: string;
  /** Accepted by `get`. */
  readonly citation: string;
  /** 0 to 1. */
  readonly score: number;
  /** Why it is there. */
  readonly why: string;
}

/** @param node `null` if the graph does not know the record */
export function nodeCandidate(candidate: Candidate, node: GraphNode | null, why: string): NodeCandidate {
  const { record, citation } = candidate;
  return {
    ...candidate,
    node: {
      id: node?.id ?? citation,
      type: node?.type ?? (record.origin === 'vault' ? 'note' : 'record'),
      project: record.project,
      lines: node?.type === 'task' ? (node.provenance?.lines ?? null) : null,
    },
    why,
  };
}

/** The candidates that are in a text, in its order. */
export function shownIn(
  pieces: readonly ReceiptPiece[],
  candidates: readonly NodeCandidate[],
): (ShownCandidate & { readonly isExpansion: boolean })[] {
  return [...new Set(pieces.map(({ candidate }) => candidate))].map((index) => {
    const { node, record, citation, score, why, path } = candidates[index]!;
    const { id, type, project } = node;
    return { id, type, title: record.title, project, citation, score, why, isExpansion: path !== null };
  });
}
