import type { BelongsTo } from '../store/belongs-to-model.ts';
import type { SearchFilter, StoredPassage } from '../store/search-model.ts';
import { admits } from '../store/rules/filter.ts';
import { subjectOf } from './explain/trace.ts';
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
  const best = note.passage.record.id;
  const leading = edges.filter(({ via, document }) => via === best && !shown.has(document));
  const candidates = combineEdges(leading, best).filter(({ confidence }) => confidence >= MIN_CONFIDENCE);
  // Both calls at the same time, so that related documents add one store call to the time of a search.
  const [visible, loaded] = await Promise.all([
    visibleNotes(run, leading, best),
    candidates.length === 0
      ? { passages: [] }
      : store.search.passages(
          namespace,
          candidates.map(({ edge }) => edge.passage),
          sourceFilter(filter, options.excludedSources),
        ),
  ]);
  const likely = trace.filter(
    'unrelated',
    combineEdges(
      leading.filter((edge) => visible.has(edge.note)),
      best,
    ),
    ({ confidence }) => confidence >= MIN_CONFIDENCE,
    ({ edge }) => ({ passage: edge.passage, record: edge.document }),
  );
  const passages = new Map(loaded.passages.map((passage) => [passage.id, passage]));
  const phrases = requiredPhrases(run.query);
  const documents = likely.flatMap((ranked): RelatedDocument[] => {
    const passage = passages.get(ranked.edge.passage);
    if (passage === undefined || isCompleted(passage.record)) return [];
    const document = documentOf(note, ranked, passage);
    const { confidence } = document;
    const subject = subjectOf(passage);
    if (!containsPhrases(passage, phrases)) trace.drop('phrase-missing', subject);
    else if (confidence < (policyOf(passage.record, policies)?.minScore ?? 0))
      trace.drop('below-source-min-score', subject);
    else if (confidence < run.minScore) trace.drop('below-min-score', subject);
    else return [document];
    return [];
  });
  return trace.filter(
    'over-related-limit',
    documents,
    (_, i) => i < options.limit,
    ({ passage }) => subjectOf(passage),
  );
}

function documentOf(
  { score, confidence, confidenceParts }: Hit,
  { edge: { note, noteTitle }, confidence: share }: RankedEdge,
  passage: StoredPassage,
): RelatedDocument {
  return {
    passage,
    score: score * share,
    contributions: [],
    boosts: [{ name: 'belongs', added: score * share }],
    links: null,
    confidence: confidence * share,
    confidenceParts: { ...confidenceParts, factor: confidenceParts.factor * share },
    belongsTo: { record: note, title: noteTitle },
  };
}

/** The best note, and those of the linked notes that the search may show. */
async function visibleNotes(
  { store, namespace, filter }: SearchRun,
  edges: readonly BelongsTo[],
  best: number,
): Promise<ReadonlySet<number>> {
  const linked = new Set(edges.map(({ note }) => note).filter((note) => note !== best));
  if (linked.size === 0) return new Set([best]);
  const records = await store.records.get(namespace, [...linked], { liveAt: filter.now });
  return new Set([best, ...records.filter((record) => admits(record, filter)).map(({ id }) => id)]);
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
