import { findTerms } from '../core/text/additional-terms.ts';
import type { NoteOfDocument } from '../store/graph-model.ts';
import { ORDINARY_SENTENCES } from './ordinary-sentences.ts';
import { matchedTerms } from './query/phrases.ts';
import { wantedTerms } from './rank/coverage.ts';
import { cosineOf } from './rank/fuse.ts';
import {
  idfWeight,
  replacementsOf,
  wordingsOf,
  type Replacements,
  type WeightedTerm,
} from './retrieve/text.ts';
import type { SearchOutcome } from './search.ts';
import type { SentenceCosines } from './sentence-cosines.ts';

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
export async function notesByEvidence(
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
  readonly #replacements: Replacements;
  readonly #wanted: ReadonlySet<string>;
  /** The terms that each passage of a note has, by note. */
  readonly #ofNotes: ReadonlyMap<number, readonly (readonly WeightedTerm[])[]>;
  /** In a store of few notes, the terms that are in ordinary sentences. */
  readonly #ordinary: ReadonlySet<WeightedTerm>;
  /** Notes that have all words of the document. The words are no less rare because of them. */
  readonly copies: ReadonlySet<number>;

  constructor({ hits, passages, retrieved }: SearchOutcome) {
    this.#terms = retrieved.terms;
    this.#replacements = replacementsOf(retrieved);
    this.#wanted = wantedTerms(this.#terms, this.#replacements);
    const notes = new Set(hits.map(({ passage }) => passage.record.id));
    const ofHits = passages.filter(({ record }) => notes.has(record.id));
    const termsOf = Map.groupBy(ofHits, ({ record }) => record.id);
    this.#ofNotes = new Map(
      [...termsOf].map(([id, ofNote]) => [
        id,
        ofNote.map((passage) => this.#among(matchedTerms(passage, this.#wanted))),
      ]),
    );
    const found = hits.length < MIN_COMPARED ? findTerms(ORDINARY_SENTENCES.join(' '), this.#wanted) : [];
    this.#ordinary = new Set(this.#among(new Set(found.map(({ term }) => term))));
    const { length } = this.#terms;
    const isCopy = (id: number): boolean => length >= MIN_COPIED_TERMS && this.#ofAny(id).length === length;
    this.copies = new Set([...notes].filter(isCopy));
  }

  /** The mean for the best passage and for the whole note: a long note has some words by chance, where it is about something else. */
  ofNote(id: number): number {
    const ofPassages = (this.#ofNotes.get(id) ?? []).map((terms) => this.#evidenceOf(terms));
    return (Math.max(0, ...ofPassages) + this.#evidenceOf(this.#ofAny(id))) / 2;
  }

  #among(matched: ReadonlySet<string>): readonly WeightedTerm[] {
    return this.#terms.filter((term) =>
      wordingsOf(term, this.#replacements).some((words) => words.every((word) => matched.has(word))),
    );
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
