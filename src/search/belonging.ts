import type { NoteOfDocument } from '../store/graph-model.ts';
import { matchOf } from './rank/evidence.ts';
import { replacementsOf } from './retrieve/text.ts';
import type { SearchOutcome } from './search.ts';
import type { SentenceCosines } from './sentence-cosines.ts';

/** Notes of a document that are stored. */
const MAX_NOTES = 3;
/** Words alone compare a document whose language the model knows less. */
const MIN_MODEL_COVERAGE = 0.3;
/** The best other notes that a note is compared with. */
const OTHERS = 4;
/** The evidence for each of these that a small store lacks. */
const TYPICAL_EVIDENCE = 0.2;

interface Candidate {
  readonly note: number;
  /**
   * The cosine of the document with the note's best passage, or with a sentence of it under the title of the note, if that is
   * higher; 0.5 × the IDF-weighted share of the document's terms that the passage has; and 0.2 × the same share among the
   * terms that occur elsewhere too. 0 to 1.7. Without vectors only the words count.
   */
  readonly evidence: number;
  /** Whether the passage has all words of the document: a daily note that quotes a todo is no rival of the note on its topic. */
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
  { hits, retrieved }: SearchOutcome,
  sentences: SentenceCosines,
): Promise<NoteOfDocument[]> {
  const { terms, vector, modelCoverage } = retrieved;
  const hasMeaning = vector !== null && modelCoverage >= MIN_MODEL_COVERAGE;
  const replacements = replacementsOf(retrieved);
  // Words that only the document itself has say nothing about the notes.
  const sharedTerms = terms.filter(({ passages }) => passages > 1);
  const passages = hits.map(({ passage }) => passage);
  const ofSentences = hasMeaning ? await sentences.of(passages, vector) : null;
  const candidates = hits.map(({ passage, contributions }): Candidate => {
    const { cosine, coverage } = matchOf(passage, contributions, terms, replacements);
    const shared = matchOf(passage, contributions, sharedTerms, replacements).coverage;
    const meaning = Math.max(0, cosine ?? 0, ofSentences?.get(passage.hash) ?? 0);
    const words = 0.5 * coverage + 0.2 * shared;
    const isCopy = coverage === 1 && terms.length >= MIN_COPIED_TERMS;
    return { note: passage.record.id, evidence: hasMeaning ? words + meaning : words, isCopy };
  });
  candidates.sort((a, b) => b.evidence - a.evidence);
  const topics = candidates.filter(({ isCopy }) => !isCopy);
  const best = topics[0]?.evidence ?? 0;
  return candidates.slice(0, MAX_NOTES).map((candidate) => {
    const { note, evidence, isCopy } = candidate;
    const lead = evidence - typicalEvidence(topics.filter((other) => other !== candidate));
    return {
      note,
      share: isCopy || best === 0 ? 1 : evidence / best,
      confidence: hasMeaning ? belongingConfidence(evidence, lead) : wordConfidence(evidence),
    };
  });
}

/** The mean evidence for the best other notes. */
function typicalEvidence(others: readonly Candidate[]): number {
  const best = others.slice(0, OTHERS);
  const sum = best.reduce((total, { evidence }) => total + evidence, 0);
  return (sum + (OTHERS - best.length) * TYPICAL_EVIDENCE) / OTHERS;
}

/**
 * The probability that a document belongs to a note: a logistic function of the evidence and of its lead over that of the best
 * other notes. Of many notes, some are near to any document. The coefficients were fitted to the half `people-dev` of
 * `eval/sets/ambient.json`.
 */
function belongingConfidence(evidence: number, lead: number): number {
  return logistic(5 * evidence + 8 * lead - 5);
}

function wordConfidence(evidence: number): number {
  return logistic(12 * evidence - 4);
}

function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
