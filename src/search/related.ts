import type { BelongsTo } from '../store/model.ts';
import type { SearchFilter } from '../store/search-model.ts';
import { admits } from '../store/rules/filter.ts';
import { requiredPhrases } from './query/parse.ts';
import { containsPhrases } from './query/phrases.ts';
import { isCompleted } from './rank/boosts.ts';
import type { Hit } from './rank/confidence.ts';
import type { Fused } from './rank/fuse.ts';
import { policyOf } from './rank/source-policy.ts';
import type { SearchRun } from './run.ts';

/** A document of a source that belongs to the best note. */
export interface RelatedDocument extends Hit {
  /** The best note, or a note that it links to. */
  readonly belongsTo: { readonly record: number; readonly title: string };
}

// The constants were tuned on the half `people-dev` of `eval/sets/ambient.json`.

/** A note of lower confidence is probably not what the query means. */
const MIN_NOTE_CONFIDENCE = 0.5;
/** Factor for a document of a note that the best note links to. */
const LINK_FACTOR = 0.9;
/** A document may belong to several notes that it finds almost equally well. */
const MIN_SHARE = 0.7;
/** A document of lower confidence probably does not belong to the note. */
const MIN_CONFIDENCE = 0.4;
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
 * Documents of sources that belong to the best note, best first: their own text finds this note, or a note that it links
 * to, first or nearly so. "Clear the hall for the cabinets" has no word of "the kitchen remodel", but finds the note about it.
 * @param hits all hits, best first: those within the limit and those beyond it
 */
export async function relatedDocuments(
  run: SearchRun,
  hits: readonly Hit[],
  edges: readonly BelongsTo[],
): Promise<RelatedDocument[]> {
  const { related: options, trace, store, namespace, filter, policies } = run;
  const note = hits.find(({ passage }) => passage.record.origin !== 'source');
  if (options === null || note === undefined || note.confidence < MIN_NOTE_CONFIDENCE) return [];
  const shown = new Set(hits.slice(0, options.resultLimit).map(({ passage }) => passage.record.id));
  const visible = await edgesToVisibleNotes(run, edges, note.passage.record.id);
  const best = combineEdges(visible, note.passage.record.id).filter(({ edge }) => !shown.has(edge.document));
  const likely = trace.filter(
    'unrelated',
    best,
    ({ confidence }) => confidence >= MIN_CONFIDENCE,
    ({ edge }) => ({ passage: edge.passage, record: edge.document }),
  );
  if (likely.length === 0) return [];
  const loaded = await store.search.passages(
    namespace,
    likely.map(({ edge }) => edge.passage),
    sourceFilter(filter, options.excludedSources),
  );
  const passages = new Map(loaded.passages.map((passage) => [passage.id, passage]));
  const phrases = requiredPhrases(run.query);
  const documents = likely.flatMap(({ edge, confidence: share }): RelatedDocument[] => {
    const passage = passages.get(edge.passage);
    if (passage === undefined || isCompleted(passage.record)) return [];
    const confidence = note.confidence * share;
    const subject = { passage: passage.id, record: edge.document };
    if (!containsPhrases(passage, phrases)) trace.drop('phrase-missing', subject);
    else if (confidence < (policyOf(passage.record, policies)?.minScore ?? 0))
      trace.drop('below-source-min-score', subject);
    else if (confidence < run.minScore) trace.drop('below-min-score', subject);
    else
      return [
        {
          passage,
          score: note.score * share,
          contributions: [],
          boosts: [{ name: 'belongs', added: note.score * share }],
          links: null,
          confidence,
          confidenceParts: { ...note.confidenceParts, factor: note.confidenceParts.factor * share },
          belongsTo: { record: edge.note, title: edge.noteTitle },
        },
      ];
    return [];
  });
  return trace.filter(
    'over-related-limit',
    documents,
    (_, i) => i < options.limit,
    ({ passage }) => ({ passage: passage.id, record: passage.record.id }),
  );
}

/** The edges that lead to the best note, without those to linked notes that the search may not show. */
async function edgesToVisibleNotes(
  { store, namespace, filter }: SearchRun,
  edges: readonly BelongsTo[],
  best: number,
): Promise<BelongsTo[]> {
  const leading = edges.filter(({ via }) => via === best);
  const linked = new Set(leading.map(({ note }) => note).filter((note) => note !== best));
  if (linked.size === 0) return leading;
  const records = await store.records.get(namespace, [...linked], { liveAt: filter.now });
  const visible = new Set(records.filter((record) => admits(record, filter)).map(({ id }) => id));
  return leading.filter(({ note }) => note === best || visible.has(note));
}

interface RankedEdge {
  /** The strongest edge. */
  readonly edge: BelongsTo;
  readonly confidence: number;
}

/**
 * Combines the edges of each document that lead to the note, as independent evidence (noisy or): a document whose notes
 * link to each other belongs to them more surely. Best first.
 */
function combineEdges(edges: readonly BelongsTo[], note: number): RankedEdge[] {
  const leading = edges.filter(({ share }) => share >= MIN_SHARE);
  const strengthOf = (edge: BelongsTo): number => edge.confidence * (edge.note === note ? 1 : LINK_FACTOR);
  const ranked = [...Map.groupBy(leading, ({ document }) => document).values()].map(
    (ofDocument): RankedEdge => {
      const [edge] = ofDocument.toSorted((a, b) => strengthOf(b) - strengthOf(a));
      const doubt = ofDocument.reduce((product, each) => product * (1 - strengthOf(each)), 1);
      return { edge: edge!, confidence: 1 - doubt };
    },
  );
  return ranked.sort((a, b) => b.confidence - a.confidence || a.edge.document - b.edge.document);
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
