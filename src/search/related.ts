import type { BelongsTo } from '../store/graph-model.ts';
import type { SearchFilter, StoredPassage } from '../store/search-model.ts';
import { admits } from '../store/rules/filter.ts';
import type { SearchRun } from './run.ts';
import { requiredPhrases } from './query/parse.ts';
import { containsPhrases } from './query/phrases.ts';
import { isCompleted } from './rank/boosts.ts';
import { confidenceOf, type ConfidencePart, type Hit } from './rank/confidence.ts';
import type { QueryCoverage } from './rank/coverage.ts';
import type { Fused } from './rank/fuse.ts';
import { policyOf } from './rank/ranking.ts';

/** A document of a source that belongs to one of the best notes. */
export interface RelatedDocument extends Hit {
  /** One of the best notes, or a note that one of them links to. */
  readonly belongsTo: { readonly record: number; readonly title: string };
}

// The constants were tuned on the half `people-dev` of `eval/sets/ambient.json`.

/** A note of lower confidence is probably not what the query means. */
const MIN_NOTE_CONFIDENCE = 0.7;
/** The query may mean the second note as well, if the search is almost as sure of it as of the first. */
const MAX_NOTES = 2;
/** The confidence in the second note, as a share of that in the first. */
const MIN_SHARE_OF_FIRST = 0.95;
/** Factor for a document of a note that one of the best notes links to. It falls with the number of its links. */
const LINK_FACTOR = 0.8;
/** The lead of a note over the other notes counts up to this, and as so many log odds for each unit. */
const [MAX_NOTE_LEAD, NOTE_LEAD_WEIGHT] = [0.2, 2];
/** The share of the log odds of the note that count. */
const NOTE_WEIGHT = 1 / 3;
/** Log odds of a document that belongs to a note as probably as not, if the search is as sure of the note. */
const TYPICAL = -2;
/** A less probable document is not shown. */
const MIN_PROBABILITY = 0.4;
/** Records whose edges are read before it is known which of them ranks first. */
const MAX_CANDIDATE_NOTES = 20;

/** The edges to the records that may become the best note, read while the passages are loaded. */
export function candidateEdges(run: SearchRun, fused: readonly Fused[]): Promise<readonly BelongsTo[]> {
  const { store, namespace, related, filter } = run;
  if (related === null || related.limit === 0 || !admitsSources(filter)) return Promise.resolve([]);
  const notes: number[] = [];
  for (const { record } of fused) {
    if (!notes.includes(record)) notes.push(record);
    if (notes.length === MAX_CANDIDATE_NOTES) break;
  }
  return store.records.belongsTo(namespace, { notes });
}

/**
 * Documents of sources that belong to the best notes, best first: their own text finds such a note, or a note that it links
 * to, first or nearly so. "Clear the hall for the cabinets" has no word of "the kitchen remodel", but finds the note about it.
 * @param hits all hits, best first: those within the limit and those beyond it
 */
export async function relatedDocuments(
  run: SearchRun,
  hits: readonly Hit[],
  edges: readonly BelongsTo[],
  coverage: QueryCoverage,
): Promise<RelatedDocument[]> {
  const { related: options, store, namespace, filter, policies } = run;
  const notes = bestNotes(hits);
  if (options === null || notes.size === 0) return [];
  const shown = new Set(hits.slice(0, options.resultLimit).map(({ passage }) => passage.record.id));
  const leading = edges.filter(({ via, document }) => notes.has(via) && !shown.has(document));
  const isLikely = ({ confidence }: RankedEdge): boolean => confidence >= MIN_PROBABILITY;
  const candidates = rankEdges(leading, notes).filter(isLikely);
  // Both calls at the same time, so that related documents add one store call to the time of a search.
  const [visible, loaded] = await Promise.all([
    visibleNotes(run, leading, notes),
    candidates.length === 0
      ? { passages: [] }
      : store.search.passages(
          namespace,
          candidates.map(({ edge }) => edge.passage),
          sourceFilter(filter, options.excludedSources),
        ),
  ]);
  const seen = leading.filter((edge) => visible.has(edge.note));
  const likely = rankEdges(seen, notes).filter(isLikely);
  const passages = new Map(loaded.passages.map((passage) => [passage.id, passage]));
  const phrases = requiredPhrases(run.query);
  const documents = likely.flatMap((ranked): RelatedDocument[] => {
    const passage = passages.get(ranked.edge.passage);
    if (passage === undefined || isCompleted(passage.record)) return [];
    const document = documentOf(ranked, passage, coverage.of(passage));
    const minScore = Math.max(run.minScore, policyOf(passage.record, policies)?.minScore ?? 0);
    return containsPhrases(passage, phrases) && document.confidence >= minScore ? [document] : [];
  });
  return documents.slice(0, options.limit);
}

/** How sure the search is of a note. */
interface BestNote {
  readonly confidence: number;
  /** Over the best other note. */
  readonly lead: number;
}

/** By record, best first. None if the search is not sure of any note. */
function bestNotes(hits: readonly Hit[]): ReadonlyMap<number, BestNote> {
  const notes = hits.filter(({ passage }) => passage.record.origin !== 'source');
  const minConfidence = Math.max(MIN_NOTE_CONFIDENCE, MIN_SHARE_OF_FIRST * (notes[0]?.confidence ?? 0));
  const best = notes.slice(0, MAX_NOTES).filter(({ confidence }) => confidence >= minConfidence);
  return new Map(
    best.map((hit) => {
      const others = notes.filter((other) => other !== hit).map(({ confidence }) => confidence);
      const { passage, confidence } = hit;
      return [passage.record.id, { confidence, lead: confidence - Math.max(0, ...others) }];
    }),
  );
}

function documentOf(
  { edge: { note, noteTitle }, confidence, parts }: RankedEdge,
  passage: StoredPassage,
  coverage: number,
): RelatedDocument {
  return {
    passage,
    score: confidence,
    contributions: [],
    boosts: [{ name: 'belongs', added: confidence }],
    links: null,
    confidence,
    confidenceParts: {
      ...{ typical: TYPICAL, parts, factor: 1 },
      ...{ match: { cosine: null, coverage }, modelCoverage: 0 },
    },
    belongsTo: { record: note, title: noteTitle },
  };
}

/** The best notes, and those of the linked notes that the search may show. */
async function visibleNotes(
  { store, namespace, filter }: SearchRun,
  edges: readonly BelongsTo[],
  best: ReadonlyMap<number, BestNote>,
): Promise<ReadonlySet<number>> {
  const linked = new Set(edges.map(({ note }) => note).filter((note) => !best.has(note)));
  if (linked.size === 0) return new Set(best.keys());
  const records = await store.records.get(namespace, [...linked], { liveAt: filter.now });
  return new Set([...best.keys(), ...records.filter((record) => admits(record, filter)).map(({ id }) => id)]);
}

interface RankedEdge {
  /** The strongest edge. */
  readonly edge: BelongsTo;
  /** The probability that the query is about what the document belongs to. */
  readonly confidence: number;
  readonly parts: readonly ConfidencePart[];
}

/**
 * Combines the edges of each document that lead to the best notes, as independent evidence (noisy or): a document whose notes
 * link to each other belongs to them more surely. Best first.
 */
function rankEdges(edges: readonly BelongsTo[], notes: ReadonlyMap<number, BestNote>): RankedEdge[] {
  const leading = edges.toSorted((a, b) => strengthOf(b) - strengthOf(a));
  const ranked = [...Map.groupBy(leading, ({ document }) => document).values()].map(
    (ofDocument): RankedEdge => {
      // Both of the best notes may lead to the same note, which is evidence only once.
      const strongest = Map.groupBy(ofDocument, ({ note }) => note).values();
      const doubt = [...strongest].reduce((product, [edge]) => product * (1 - strengthOf(edge!)), 1);
      const [edge] = ofDocument;
      const { confidence, lead } = notes.get(edge!.via)!;
      const noteLead = Math.min(MAX_NOTE_LEAD, lead);
      const parts: ConfidencePart[] = [
        { name: 'belongs', value: 1 - doubt, added: logOdds(1 - doubt) },
        { name: 'note', value: confidence, added: NOTE_WEIGHT * logOdds(confidence) },
        { name: 'note_lead', value: noteLead, added: NOTE_LEAD_WEIGHT * noteLead },
      ];
      return { edge: edge!, parts, confidence: confidenceOf({ typical: TYPICAL, parts, factor: 1 }) };
    },
  );
  return ranked.sort((a, b) => b.confidence - a.confidence || a.edge.document - b.edge.document);
}

function logOdds(probability: number): number {
  const bounded = Math.min(0.99, Math.max(0.01, probability));
  return Math.log(bounded / (1 - bounded));
}

function strengthOf({ confidence, note, via, links }: BelongsTo): number {
  return confidence * (note === via ? 1 : LINK_FACTOR / Math.sqrt(links));
}

function admitsSources({ origins }: SearchFilter): boolean {
  return origins === undefined || origins.includes('source');
}

function sourceFilter(filter: SearchFilter, excludedSources: readonly string[]): SearchFilter {
  return {
    ...filter,
    origins: ['source'],
    excludedSources: [...(filter.excludedSources ?? []), ...excludedSources],
  };
}
