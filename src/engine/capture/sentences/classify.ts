import { caseless } from './caseless.ts';
import { ENGLISH, ENGLISH_PROPOSALS } from './english.ts';
import { ownWords } from './frames.ts';
import { GERMAN, GERMAN_PROPOSALS } from './german.ts';
import { isInstruction } from './instructions.ts';
import { isFiction, isMoment, isStatement, isUnsure } from './markers.ts';
import { isOnlyRequest, isRefusal, requestedFact } from './requests.ts';
import { hasSecret, mayBeValue, namesSecret } from './secret-words.ts';
import { type Sentence, splitMessage } from './split-message.ts';

/** A statement of a message that may be remembered. */
export interface StatedFact {
  /** The words of the owner. */
  readonly text: string;
  /** Whether the owner asks to remember it, or the grammar is sure that it lasts. All others wait for the owner. */
  readonly isSure: boolean;
  /** What it is about, if that has one value at a time, such as `home`; `null` otherwise. */
  readonly subject: string | null;
}

export interface StatedFacts {
  readonly facts: readonly StatedFact[];
  /** How many sentences were left out because they have a secret. */
  readonly secrets: number;
}

/** Longer sentences are parts of documents. In characters. */
const MAX_LENGTH = 300;
const MIN_LENGTH = 8;
/** With a request before or after it. */
const MAX_SENTENCE_LENGTH = 400;

/** Words before a statement that change nothing about it. */
const OPENING =
  /^(?:(?:hi|hello|hey|well|so|also|and|yes|yeah|ok|okay|oh|actually|btw|by the way|fyi|for context|just so you know|as you know|hallo|also|übrigens|ja|nur zur info|zur info)[,:!]? +(?:there[,!]? +)?){1,2}/i;
/** What is no longer true, before what is true now, and what is not the case, after it. */
const FORMER_BEFORE =
  /^(?:i (?:no longer|don't) [^,;.]{3,60}(?: anymore| any more)?|ich [^,;.]{3,60} nicht mehr [^,;.]{0,40})[,;]? (?:but |and |now |sondern |aber )?(?=(?:i|ich|wir|we)\b)/i;
/** Words after a statement that change nothing about it. */
const CLOSING =
  /,? (?:nice to meet you|by the way|btw|thanks|thank you|please|as you know|freut mich|danke|übrigens)$/i;
/** Where another statement begins. */
const CLAUSE =
  /,? (?:and|und) (?=(?:i|i'm|my|we|our|ich|wir|meine?|unsere?) )|, (?:so|also|but|which|she|he|they|sie|er) /i;
const CONTRAST_AFTER = /,? (?:not|nicht) (?:in |bei |for |at )?\p{Lu}[\p{L}'-]*$/u;

/** The last word of a sentence that was not finished. */
const CUT_OFF =
  /(?<![\p{L}'])(?:a|an|the|my|our|is|are|am|to|in|at|(?<!now )on|for|with|and|or|of|that|der|die|das|den|dem|ein|eine|einen|mein|meine|ist|sind|und|oder|zu|bei|mit|für|dass|called|named|heißt|uh|um|äh)$/iu;

const PREDICATES = [...ENGLISH, ...GERMAN].map(([pattern, subject]) => ({
  pattern: caseless(`^${pattern}$`),
  subject,
}));
const PROPOSALS: readonly RegExp[] = [...ENGLISH_PROPOSALS, ...GERMAN_PROPOSALS];

/**
 * What a message of the owner states, in its own words and order. No language model is involved: a sentence is sure if the owner asks
 * to remember it, or if a small grammar of English and German knows all of it. Nothing is stated by a message that asks not to be
 * remembered, and never by a sentence with a secret. Takes time in proportion to the length of the message.
 */
export async function statedFacts(message: string): Promise<StatedFacts> {
  const { words, isFramed } = ownWords(message);
  const sentences = splitMessage(words);
  if (isRefusal(sentences.map(({ plain }) => plain).join(' '))) return { facts: [], secrets: 0 };
  const found = new Map<string, StatedFact>();
  let secrets = 0;
  const naming = [...new Set(sentences.map(({ text }) => text).filter(namesSecret))].slice(0, 2);
  for (const fact of factsOf(sentences, isFramed)) {
    if (fact.text.length < MIN_LENGTH || fact.text.length > MAX_LENGTH || found.has(fact.text)) continue;
    // Two sentences that name a secret are enough: one of them is another than that of the fact.
    const isValue = mayBeValue(fact.text) && naming.some((text) => !text.includes(fact.text.slice(1)));
    if (isValue || (await hasSecret(fact.text))) secrets++;
    else found.set(fact.text, fact);
  }
  return { facts: [...found.values()], secrets };
}

function factsOf(sentences: readonly Sentence[], isFramed: boolean): StatedFact[] {
  const facts: StatedFact[] = [];
  for (const [at, sentence] of sentences.entries()) {
    if (isFiction(sentence.plain)) return facts;
    if (sentence.text.length > MAX_SENTENCE_LENGTH) continue;
    const requested = requestAt(sentences, at);
    if (requested !== null) {
      // A sentence that the request refers to may have been found as a proposal.
      const before = facts.findIndex(({ text }) => text === requested);
      if (before >= 0) facts.splice(before, 1);
      const isSure = !isFramed && !isInstruction(requested);
      facts.push({ text: requested, isSure, subject: subjectOf(requested) });
      continue;
    }
    const fact = statementOf(sentence, isFramed);
    if (fact !== null) facts.push(fact);
  }
  return facts;
}

/** What a sentence asks to remember: something in itself, or the sentence before or after it. */
function requestAt(sentences: readonly Sentence[], at: number): string | null {
  const sentence = sentences[at]!;
  if (!isOnlyRequest(sentence.plain)) return requestedFact(sentence);
  const other = sentences[at - 1] ?? sentences[at + 1];
  return other !== undefined && isStatement(other.plain) ? other.text : null;
}

function statementOf({ text, plain }: Sentence, isFramed: boolean): StatedFact | null {
  const core = coreOf(plain);
  if (!isStatement(plain) || isMoment(plain) || CUT_OFF.test(core)) return null;
  const clauses = core.split(CLAUSE);
  const sure = isPredicate(core) || clauses.every(isPredicate);
  if (sure && !isUnsure(core) && !isFramed) return { text, isSure: true, subject: subjectOf(text) };
  const isAboutOwner = clauses.some(isPredicate) || PROPOSALS.some((pattern) => pattern.test(plain));
  return isAboutOwner ? { text, isSure: false, subject: subjectOf(text) } : null;
}

function isPredicate(core: string): boolean {
  return PREDICATES.some(({ pattern }) => pattern.test(core));
}

/** What a statement is about, if that has one value at a time: `home`, `name of wife`. */
export function subjectOf(text: string): string | null {
  const core = coreOf(text.replaceAll(/[’‘]/g, "'"));
  for (const { pattern, subject } of PREDICATES) {
    const match = subject === undefined ? null : pattern.exec(core);
    if (match === null) continue;
    const of = match.groups?.['of'];
    return of === undefined ? subject! : `${subject!} ${of.toLowerCase()}`;
  }
  return null;
}

/** The sentence without what surrounds the statement. */
function coreOf(plain: string): string {
  return plain
    .replace(/[.!]+$/, '')
    .replace(OPENING, '')
    .replace(CLOSING, '')
    .replace(/\b(i|we)'ve got\b/i, '$1 have')
    .replace(FORMER_BEFORE, '')
    .replace(CONTRAST_AFTER, '')
    .trim();
}
