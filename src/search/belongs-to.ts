import { isDeepStrictEqual } from 'node:util';
import { assertNotAborted, type ProgressOptions } from '../core/progress.ts';
import type { LociRecord, Origin, Timestamp } from '../core/types.ts';
import type { BelongsToProgress, NoteOfDocument } from '../store/belongs-to-model.ts';
import type { RecordBounds } from '../store/model.ts';
import type { Store } from '../store/store.ts';
import { matchOf } from './rank/evidence.ts';
import { replacementsOf } from './retrieve/text.ts';
import { DEFAULT_RANKING, type Ranking } from './rank/ranking.ts';
import type { VectorIndexRef } from './run.ts';
import { runSearch, type SearchOutcome } from './search.ts';

export interface DerivationOptions extends ProgressOptions {
  readonly store: Store;
  readonly namespace: string;
  /** `null` to compare words only. */
  readonly vectors: VectorIndexRef | null;
  readonly now: Timestamp;
  /** Vaults whose notes are left out, as if they were not stored. */
  readonly excludedSources: readonly string[];
  /** Searches all documents again, even if nothing has changed. */
  readonly all?: boolean;
}

/** The records that a document of a source can belong to. */
const NOTE_ORIGINS: readonly Origin[] = ['vault', 'memory', 'fact'];

/**
 * A document is short, and any of its words may be the one that names its note. Words therefore count more than in a query,
 * and all fields count the same. Dates, speakers and intents in the document are ignored. On the half `people-dev` of
 * `eval/sets/ambient.json`, 92% of the documents that belong to a note find it first; with the weights of a query, 85% do.
 */
const DOCUMENT_RANKING: Ranking = {
  ...DEFAULT_RANKING,
  weights: { ...DEFAULT_RANKING.weights, vector: 0.4, text: 0.6, recency: 0 },
  fields: { title: 1, headings: 1, body: 1, tags: 1 },
  coverageFloor: null,
  confidenceOrder: null,
  bridging: null,
  dateBoost: 0,
  relativeDateBoost: 0,
  speakerBoost: 0,
  kindBoost: 0,
};
/** Notes of a document that are stored. */
const MAX_NOTES = 3;
/** Only the beginning of a document is searched for. UTF-16 code units. */
const MAX_TEXT_LENGTH = 600;
const PAGE = 100;
/** After more changes than this, all documents are searched again. */
const MAX_INCREMENTAL_CHANGES = 500;
/** The maximum number of documents that are searched again because of one changed note. */
const MAX_AFFECTED = 30;

/** Whether there is nothing to derive. */
export function isUpToDate(
  { lastChange, belongsTo: { upTo, excludedSources, pass } }: Pick<RecordBounds, 'lastChange' | 'belongsTo'>,
  excluded: readonly string[],
): boolean {
  return lastChange === upTo && pass === null && isDeepStrictEqual(excludedSources, excluded);
}

/**
 * Derives the notes to which documents of sources belong: the notes that the text of the document finds. Only documents that
 * changed, and documents whose notes changed, are searched again. After many changes, or when the excluded vaults are not the
 * same as before, all documents are. A pass over all documents that was interrupted continues. Returns the number of documents.
 * @throws LociError `aborted`, and the errors of the store and the model
 */
export async function deriveBelongsTo(options: DerivationOptions): Promise<number> {
  const { store, namespace, excludedSources, all = false } = options;
  const bounds = await store.records.bounds(namespace);
  if (!all && isUpToDate(bounds, excludedSources)) return 0;
  const { lastChange, belongsTo: before } = bounds;
  const documents = await sourceDocuments(options);
  const isSameVaults = isDeepStrictEqual(before.excludedSources, excludedSources);
  if (!all && isSameVaults && before.pass === null) {
    const affected =
      documents.length === 0 ? new Set() : await affectedDocuments(options, documents, before.upTo);
    if (affected !== null) {
      const selected = documents.filter(({ id }) => affected.has(id));
      await deriveEdges(options, selected, () => before);
      await store.records.commit(namespace, {
        belongsTo: { edges: new Map(), progress: { ...before, upTo: lastChange } },
      });
      return selected.length;
    }
  }
  const begun = all || !isSameVaults ? null : before.pass;
  const pass = begun ?? { upTo: lastChange, document: 0 };
  const remaining = documents.filter(({ id }) => id > pass.document);
  await deriveEdges(options, remaining, (document) => ({
    upTo: before.upTo,
    excludedSources,
    pass: { ...pass, document },
  }));
  // Records that changed since the pass began have higher sequence numbers.
  const progress = { upTo: pass.upTo, excludedSources, pass: null };
  await store.records.commit(namespace, { belongsTo: { edges: new Map(), progress } });
  const isBehind = pass.upTo < lastChange;
  return remaining.length + (isBehind ? await deriveBelongsTo({ ...options, all: false }) : 0);
}

/** Commits the edges in pages. @param progressAfter the progress when this document and those before it are done */
async function deriveEdges(
  options: DerivationOptions,
  documents: readonly SourceDocument[],
  progressAfter: (document: number) => BelongsToProgress,
): Promise<void> {
  const { store, namespace, onProgress } = options;
  let edges = new Map<number, NoteOfDocument[]>();
  for (const [done, document] of documents.entries()) {
    assertNotAborted(options);
    edges.set(document.id, await notesOfDocument(options, document));
    if (edges.size === PAGE || done === documents.length - 1) {
      await store.records.commit(namespace, { belongsTo: { edges, progress: progressAfter(document.id) } });
      edges = new Map();
    }
    onProgress?.({ stage: 'relating', subject: namespace, done: done + 1, total: documents.length });
  }
}

type SourceDocument = Pick<LociRecord, 'id' | 'title' | 'content'>;

async function sourceDocuments({ store, namespace, now }: DerivationOptions): Promise<SourceDocument[]> {
  const documents: SourceDocument[] = [];
  const selector = { filter: { now, origins: ['source' as const] }, order: 'oldest' as const };
  for (let after: number | null = null; ;) {
    const page: LociRecord[] = await store.records.list(namespace, selector, { after, limit: PAGE });
    for (const { id, title, content } of page)
      documents.push({ id, title, content: content.slice(0, MAX_TEXT_LENGTH) });
    const last = page.at(-1);
    if (last === undefined) return documents;
    after = last.id;
  }
}

/** The documents to search again; `null` for all. @param after the last change that their edges take into account */
async function affectedDocuments(
  options: DerivationOptions,
  documents: readonly SourceDocument[],
  after: number,
): Promise<ReadonlySet<number> | null> {
  const { store, namespace, now } = options;
  if (after === 0) return null;
  const page = { after, limit: MAX_INCREMENTAL_CHANGES + 1 };
  const { changes, mustRestart } = await store.records.changes(namespace, page);
  if (mustRestart || changes.length > MAX_INCREMENTAL_CHANGES) return null;
  const affected = new Set<number>();
  const written = changes.filter(({ kind }) => kind === 'written').map(({ record }) => record);
  for (let from = 0; from < written.length; from += PAGE) {
    const records = await store.records.get(namespace, written.slice(from, from + PAGE), { liveAt: now });
    for (const record of records) {
      if (record.origin === 'source') affected.add(record.id);
      else for (const id of await documentsNear(options, record)) affected.add(id);
    }
  }
  if (changes.some(({ kind }) => kind !== 'written'))
    for (const id of await documentsWithoutFirstNote(options, documents)) affected.add(id);
  return affected;
}

/** The documents that belong to a note, and those that its text finds. */
async function documentsNear(options: DerivationOptions, note: LociRecord): Promise<number[]> {
  const belonging = await options.store.records.belongsTo(options.namespace, { notes: [note.id] });
  const { hits } = await searchText(options, note, ['source'], MAX_AFFECTED);
  return [...belonging.map(({ document }) => document), ...hits.map(({ passage }) => passage.record.id)];
}

/** Documents without notes, and those whose first note was removed. */
async function documentsWithoutFirstNote(
  { store, namespace }: DerivationOptions,
  documents: readonly SourceDocument[],
): Promise<number[]> {
  const ids = documents.map(({ id }) => id);
  const edges = await store.records.belongsTo(namespace, { documents: ids });
  const withFirst = new Set(edges.filter(({ position }) => position === 1).map(({ document }) => document));
  return ids.filter((id) => !withFirst.has(id));
}

async function notesOfDocument(
  options: DerivationOptions,
  document: SourceDocument,
): Promise<NoteOfDocument[]> {
  const { hits, retrieved } = await searchText(options, document, NOTE_ORIGINS, MAX_NOTES);
  const replacements = replacementsOf(retrieved.corrections);
  // Words that only the document itself has say nothing about the notes.
  const sharedTerms = retrieved.terms.filter(({ passages }) => passages > 1);
  const bestScore = hits[0]?.score ?? 1;
  return hits.map(({ passage, contributions, score }) => {
    const { cosine, coverage } = matchOf(passage, contributions, retrieved.terms, replacements);
    const shared = matchOf(passage, contributions, sharedTerms, replacements).coverage;
    return {
      note: passage.record.id,
      share: Math.min(1, Math.max(0, score / bestScore)),
      confidence: belongingConfidence(cosine, coverage, shared),
    };
  });
}

function searchText(
  { store, namespace, vectors, now, excludedSources, signal }: DerivationOptions,
  { title, content }: Pick<LociRecord, 'title' | 'content'>,
  origins: readonly Origin[],
  limit: number,
): Promise<SearchOutcome> {
  const text = content.startsWith(title) ? content : `${title}\n${content}`;
  return runSearch({
    store,
    namespace,
    // Quotes in a document are not the syntax of a query.
    query: text.slice(0, MAX_TEXT_LENGTH).replaceAll(/["“”「」]/g, ' '),
    filter: { now, origins, ...(excludedSources.length > 0 && { excludedSources }) },
    limit,
    ranking: DOCUMENT_RANKING,
    vectors,
    ...(signal !== undefined && { signal }),
  });
}

/**
 * The probability that a document belongs to a note: a logistic function of the cosine of both texts, of the IDF-weighted
 * share of the document's terms that the note's passage has, and of the same share among the terms that occur elsewhere
 * too. The coefficients were chosen on the half `people-dev` of `eval/sets/ambient.json`. Without vectors, words alone decide.
 */
function belongingConfidence(cosine: number | null, coverage: number, sharedCoverage: number): number {
  const words = 6 * coverage + 3 * sharedCoverage;
  const logit = cosine === null ? words - 4 : words + 6 * Math.max(0, cosine) - 6;
  return 1 / (1 + Math.exp(-logit));
}
