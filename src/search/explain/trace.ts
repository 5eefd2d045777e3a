import type { StoredPassage } from '../../store/search-model.ts';

/** The stage of a search in which each reason occurs. */
const STAGES = {
  /** The query's more frequent terms would exceed `Ranking.frequencyBudget`. */
  'frequency-budget': 'retrieve',
  /** One signal found more passages of the record than it may contribute. */
  'record-quota': 'retrieve',
  /** The fused score is below those of the `Ranking.pool` best passages. */
  'outside-pool': 'fuse',
  /** A neighbour of a match that the search filter excludes. */
  'hidden-by-filter': 'load',
  /** The record was replaced or deleted after a signal had found the passage. */
  overtaken: 'load',
  'phrase-missing': 'select',
  'other-document-type': 'select',
  'other-dates': 'select',
  /** An empty note that only resembles the query by its title. */
  'title-only-vector-match': 'rank',
  /** Another passage of the same record matches better. */
  'better-passage-of-record': 'rank',
  /** Another memory has the same text. */
  'same-text': 'limit',
  'below-source-min-score': 'limit',
  'below-min-score': 'limit',
  'over-limit': 'limit',
  /** A document of a source that probably does not belong to the note that it finds first. */
  unrelated: 'related',
  'over-related-limit': 'related',
} as const;

type DropReason = keyof typeof STAGES;
type SearchStage = (typeof STAGES)[DropReason];

/** What was dropped: a term of the query, or a passage. */
type DropSubject = { readonly term: string } | { readonly passage: number; readonly record?: number };

/** A passage as the subject of a drop. */
export function subjectOf({ id, record }: StoredPassage): {
  readonly passage: number;
  readonly record: number;
} {
  return { passage: id, record: record.id };
}

type Drop = DropSubject & { readonly stage: SearchStage; readonly reason: DropReason };

/** What the stages of one search dropped, and why, in the order in which they did. */
export class SearchTrace {
  /** A search drops hundreds of passages, and few callers ask which. */
  readonly #drops: [DropReason, DropSubject][] = [];

  get drops(): readonly Drop[] {
    return this.#drops.map(([reason, subject]) => ({ stage: STAGES[reason], reason, ...subject }));
  }

  drop(reason: DropReason, subject: DropSubject): void {
    this.#drops.push([reason, subject]);
  }

  /** Returns the items for which `keep` is true and records the others. */
  filter<Item>(
    reason: DropReason,
    items: readonly Item[],
    keep: (item: Item, index: number) => boolean,
    subjectOf: (item: Item) => DropSubject,
  ): Item[] {
    return items.filter((item, i) => {
      const isKept = keep(item, i);
      if (!isKept) this.drop(reason, subjectOf(item));
      return isKept;
    });
  }
}
