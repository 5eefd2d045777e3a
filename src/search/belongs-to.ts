import { isDeepStrictEqual } from 'node:util';
import { assertNotAborted, type ProgressOptions } from '../core/progress.ts';
import { findTerms } from '../core/text/additional-terms.ts';
import type { LociRecord, Origin, Timestamp } from '../core/types.ts';
import type { BelongsToProgress, NoteOfDocument } from '../store/graph-model.ts';
import type { RecordBounds } from '../store/model.ts';
import type { Store } from '../store/store.ts';
import { ORDINARY_SENTENCES, SentenceCosines } from './sentence-cosines.ts';
import { cosineOf } from './rank/fuse.ts';
import { DEFAULT_RANKING, type Ranking } from './rank/ranking.ts';
import { idfWeight, TermFinder, type WeightedTerm } from './retrieve/text.ts';
import type { VectorIndexRef } from './run.ts';
import { runSearch, type SearchOutcome } from './search.ts';

interface BelongsToOptions extends ProgressOptions {
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
/** Notes that are compared with a document. */
const MAX_CANDIDATES = 10;
/** Only the beginning of a document is searched for. UTF-16 code units. */
const MAX_TEXT_LENGTH = 600;
const PAGE = 100;
/** After more changes than this, all documents are searched again. */
const MAX_INCREMENTAL_CHANGES = 500;
/** The maximum number of documents that are searched again because of the beginning of a changed note. */
const MAX_AFFECTED = 30;
/** The same for each further part of it. */
const MAX_AFFECTED_BY_PART = 10;
/** What follows these parts of a changed note is not searched for. */
const MAX_PARTS = 10;

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
export async function deriveBelongsTo(options: BelongsToOptions): Promise<number> {
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
  options: BelongsToOptions,
  documents: readonly SourceDocument[],
  progressAfter: (document: number) => BelongsToProgress,
): Promise<void> {
  const { store, namespace, onProgress } = options;
  const sentences = new SentenceCosines(options);
  let edges = new Map<number, NoteOfDocument[]>();
  for (const [done, document] of documents.entries()) {
    assertNotAborted(options);
    const found = await searchText(options, document, NOTE_ORIGINS, MAX_CANDIDATES);
    edges.set(document.id, await notesByEvidence(found, sentences));
    if (edges.size === PAGE || done === documents.length - 1) {
      await store.records.commit(namespace, { belongsTo: { edges, progress: progressAfter(document.id) } });
      edges = new Map();
    }
    onProgress?.({ stage: 'relating', subject: namespace, done: done + 1, total: documents.length });
  }
}

type SourceDocument = Pick<LociRecord, 'id' | 'title' | 'content'>;

async function sourceDocuments({ store, namespace, now }: BelongsToOptions): Promise<SourceDocument[]> {
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
  options: BelongsToOptions,
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

/** The documents that belong to a note, and those that the parts of its text find. */
async function documentsNear(options: BelongsToOptions, note: LociRecord): Promise<number[]> {
  const { title, content } = note;
  const belonging = await options.store.records.belongsTo(options.namespace, { notes: [note.id] });
  const near = belonging.map(({ document }) => document);
  const length = Math.min(content.length, MAX_PARTS * MAX_TEXT_LENGTH);
  for (let from = 0; from === 0 || from < length; from += MAX_TEXT_LENGTH) {
    const part = { title, content: content.slice(from, from + MAX_TEXT_LENGTH) };
    const limit = from === 0 ? MAX_AFFECTED : MAX_AFFECTED_BY_PART;
    const { hits } = await searchText(options, part, ['source'], limit);
    near.push(...hits.map(({ passage }) => passage.record.id));
  }
  return near;
}

/** Documents without notes, and those whose first note was removed. */
async function documentsWithoutFirstNote(
  { store, namespace }: BelongsToOptions,
  documents: readonly SourceDocument[],
): Promise<number[]> {
  const ids = documents.map(({ id }) => id);
  const edges = await store.records.belongsTo(namespace, { documents: ids });
  const withFirst = new Set(edges.filter(({ position }) => position === 1).map(({ document }) => document));
  return ids.filter((id) => !withFirst.has(id));
}

function searchText(
  { store, namespace, vectors, now, excludedSources, signal }: BelongsToOptions,
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

/** Notes of a document that are stored. */
const MAX_NOTES = 3;
/** Words alone compare a document whose language the model knows less. */
const MIN_MODEL_COVERAGE = 0.3;
/** With fewer notes to compare, one of them leads by chance, so that ordinary sentences are compared as well. */
const MIN_COMPARED = 10;
/** The passages that a word of ordinary sentences has in addition there: it is not rare, although few notes have it. */
const ORDINARY_FREQUENCY = 20;

interface Candidate {
  readonly note: number;
  /**
   * The cosine of the document with the note's best passage, or with a sentence of it under the title of the note, if that is
   * higher, plus what the words of its passages say. Without vectors only the words count.
   */
  readonly evidence: number;
  /** Whether the note has all words of the document: a daily note that quotes a todo is no rival of the note on its topic. */
  readonly isCopy: boolean;
}

/** A document of fewer words is in many notes by chance. */
const MIN_COPIED_TERMS = 3;

/**
 * The notes to which a document belongs most probably, of those that its text finds. Sentences matter because a note has many
 * subjects, and its whole passage is near to none of them.
 * @throws LociError `aborted`, and the errors of the store
 */
async function notesByEvidence(
  outcome: SearchOutcome,
  sentences: SentenceCosines,
): Promise<NoteOfDocument[]> {
  const { hits, retrieved } = outcome;
  if (hits.length === 0) return [];
  const vector = retrieved.modelCoverage < MIN_MODEL_COVERAGE ? null : retrieved.vector;
  const passages = hits.map(({ passage }) => passage);
  const ofSentences = vector === null ? null : await sentences.of(passages, vector);
  const words = new DocumentWords(outcome);
  const candidates = hits.map(({ passage, contributions }): Candidate => {
    const { id } = passage.record;
    const meaning =
      vector === null ? 0 : Math.max(0, cosineOf(contributions) ?? 0, ofSentences?.get(passage.hash) ?? 0);
    return { note: id, evidence: meaning + words.ofNote(id), isCopy: words.copies.has(id) };
  });
  candidates.sort((a, b) => b.evidence - a.evidence);
  const topics = candidates.filter(({ isCopy }) => !isCopy);
  const isSmall = candidates.length < MIN_COMPARED;
  const ordinary =
    vector !== null && isSmall ? Math.max(0, ...((await sentences.ofOrdinary(vector)) ?? [])) : 0;
  const best = topics[0]?.evidence ?? 0;
  return candidates.slice(0, MAX_NOTES).map((candidate) => {
    const { note, evidence, isCopy } = candidate;
    const other = topics.find((each) => each !== candidate)?.evidence ?? 0;
    const total = evidence + LEAD_WEIGHT * (evidence - Math.max(other, ordinary));
    return {
      note,
      share: isCopy || best === 0 ? 1 : Math.min(1, evidence / best),
      confidence: vector === null ? wordConfidence(total) : belongingConfidence(total),
    };
  });
}

/** What the words that a text shares with a document say. */
class DocumentWords {
  readonly #terms: readonly WeightedTerm[];
  /** The terms that each passage of a note has, by note. */
  readonly #ofNotes: ReadonlyMap<number, readonly (readonly WeightedTerm[])[]>;
  /** In a store of few notes, the terms that are in ordinary sentences. */
  readonly #ordinary: ReadonlySet<WeightedTerm>;
  /** Notes that have all words of the document. The words are no less rare because of them. */
  readonly copies: ReadonlySet<number>;

  constructor({ hits, passages, retrieved }: SearchOutcome) {
    this.#terms = retrieved.terms;
    const finder = new TermFinder(this.#terms);
    const notes = new Set(hits.map(({ passage }) => passage.record.id));
    const ofHits = passages.filter(({ record }) => notes.has(record.id));
    const termsOf = Map.groupBy(ofHits, ({ record }) => record.id);
    this.#ofNotes = new Map(
      [...termsOf].map(([id, ofNote]) => [id, ofNote.map((passage) => finder.ofPassage(passage))]),
    );
    const found = hits.length < MIN_COMPARED ? findTerms(ORDINARY_SENTENCES.join(' '), finder.wanted) : [];
    this.#ordinary = new Set(finder.among(new Set(found.map(({ term }) => term))));
    const { length } = this.#terms;
    const isCopy = (id: number): boolean => length >= MIN_COPIED_TERMS && this.#ofAny(id).length === length;
    this.copies = new Set([...notes].filter(isCopy));
  }

  /** The mean for the best passage and for the whole note: a long note has some words by chance, where it is about something else. */
  ofNote(id: number): number {
    const ofPassages = (this.#ofNotes.get(id) ?? []).map((terms) => this.#evidenceOf(terms));
    return (Math.max(0, ...ofPassages) + this.#evidenceOf(this.#ofAny(id))) / 2;
  }

  #ofAny(note: number): readonly WeightedTerm[] {
    return [...new Set(this.#ofNotes.get(note)?.flat())];
  }

  #weightOf(term: WeightedTerm): number {
    const frequency = Math.max(0, term.passages - this.copies.size);
    return idfWeight(this.#ordinary.has(term) ? frequency + ORDINARY_FREQUENCY : frequency);
  }

  /**
   * Half of the IDF-weighted share of the document's terms, and what they say whatever the length of the document: one rare word
   * of a long mail may name the note. 0 to 1.5.
   */
  #evidenceOf(had: readonly WeightedTerm[]): number {
    if (had.length === 0) return 0;
    const sumOf = (terms: readonly WeightedTerm[], power: number): number =>
      terms.reduce((sum, term) => sum + this.#weightOf(term) ** power, 0);
    return 0.5 * (sumOf(had, 1) / sumOf(this.#terms, 1)) + 1 - Math.exp(-2 * sumOf(had, 2));
  }
}

/** The weight of the lead of a note over the best other note: of many notes, some are near to any document. */
const LEAD_WEIGHT = 0.5;

/**
 * The probability that a document belongs to a note, from its evidence with the weighted lead. The coefficients were fitted to the
 * half `people-dev` of `eval/sets/ambient.json`.
 */
function belongingConfidence(evidence: number): number {
  return logistic(6 * evidence - 6.4);
}

function wordConfidence(evidence: number): number {
  return logistic(7 * evidence - 5);
}

function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
