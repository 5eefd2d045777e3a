import { fold } from '../text/analyze.ts';
import type { Span } from '../types.ts';
import {
  functionWordTest,
  isDemonym,
  isFunctionWord,
  isGermanFunctionWord,
  isMentionable,
  nameKey,
} from './name.ts';

/** Texts are read up to here: what a longer one is about stands at its beginning. */
const MAX_TEXT_LENGTH = 200_000;
/** One record offers at most so many phrases, and so many single words that may be none. */
const MAX_PHRASES = 64;
const MAX_PHRASE_WORDS = 6;
const MAX_PHRASE_LENGTH = 60;

/** Quotation marks with what is between them: English, German, French, Chinese and Japanese. Apostrophes are not among them. */
const QUOTED =
  /“[^“”\n]{2,60}”|„[^„“”\n]{2,60}[“”]|"[^"\n]{2,60}"|«[^«»\n]{2,60}»|»[^«»\n]{2,60}«|「[^「」\n]{2,40}」|『[^『』\n]{2,40}』|《[^《》\n]{2,40}》/gu;

/** Links, code and addresses are no prose. Their lengths are limited so that unclosed ones cost no more than that. */
const NOT_PROSE =
  /!?\[\[[^[\]\n]{1,500}\]\]|`[^`\n]{1,500}`|https?:\/\/\S+|\]\([^()\s]{1,500}\)|<[^<>\n]{1,500}>/gu;

/** A word, or what is between two words. */
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’-][\p{L}\p{N}\p{M}]+)*/gu;
const CAPITALISED = /^\p{Lu}/u;
/** "PostgreSQL", "NASA", "iPhone": a name wherever it stands. */
const UNUSUAL_CASE = /^(?:\p{Lu}[\p{Lu}\p{N}]{2,}|[\p{L}\p{N}]*\p{Ll}[\p{L}\p{N}]*\p{Lu}[\p{L}\p{N}]*)$/u;
/** Words within a name: "Museum of Modern Art", "Ludwig van Beethoven". */
const CONNECTORS = new Set(['of', 'the', 'and', 'de', 'la', 'von', 'van', 'der', 'den', 'zu', 'und', 'für']);
const NO_CASE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

/**
 * Capitalised and quoted phrases of a text, each once, in the order of the text. They are candidates: what no other record
 * has is no concept. Single capitalised words count in English texts only, since German capitalises every noun.
 * @param secret parts of the text, in order and without overlaps: what shares a word with one is no phrase, wherever else it stands
 * @param isSecret whether a phrase is none for another reason
 */
export function phrasesIn(
  text: string,
  secret: readonly Span[] = [],
  isSecret: (text: string, key: string) => boolean = () => false,
): Phrase[] {
  // The replacement has the same length, so that offsets stay.
  const prose = text.slice(0, MAX_TEXT_LENGTH).replace(NOT_PROSE, (match) => '|'.padEnd(match.length));
  const words = proseWords(prose);
  const lowerCase = new Set(words.flatMap((word) => (isName(word.text) ? [] : [fold(word.text)])));
  const found = new Map<string, Phrase>();
  const hidden = new Set<string>();
  for (const phrase of [...quotedPhrases(prose), ...capitalisedPhrases(words)]) {
    const key = nameKey(phrase.text);
    if (overlapsAny(phrase, secret)) hidden.add(key);
    if (!isMentionable(key) || isDemonym(key)) continue;
    const earlier = found.get(key) ?? phrase;
    const first = earlier.start <= phrase.start ? earlier : phrase;
    found.set(key, { ...first, kind: earlier.kind === 'phrase' ? 'phrase' : phrase.kind });
  }
  const inOrder = [...found]
    .filter(([key, phrase]) => !hidden.has(key) && !isSecret(phrase.text, key))
    .map(([, phrase]) => (isAlsoWord(phrase, lowerCase) ? { ...phrase, kind: 'word' as const } : phrase))
    .sort((a, b) => a.start - b.start);
  return [true, false]
    .flatMap((wanted) => inOrder.filter((phrase) => isLikelyName(phrase) === wanted).slice(0, MAX_PHRASES))
    .sort((a, b) => a.start - b.start);
}

/** Whether a text has an ordinary word, or the first word of a phrase that begins sentences only, in lower case too. */
function isAlsoWord({ text, kind }: Phrase, lowerCase: ReadonlySet<string>): boolean {
  const [first = '', ...others] = text.split(' ');
  if (!CAPITALISED.test(first) || UNUSUAL_CASE.test(first) || (others.length > 0 && kind === 'phrase'))
    return false;
  return lowerCase.has(fold(first));
}

/** Whether nothing speaks against a name. A word that begins a sentence has a capital in any case. */
export function isLikelyName({ text, kind }: Pick<Phrase, 'text' | 'kind'>): boolean {
  return kind === 'phrase' || (kind === 'opening' && text.includes(' '));
}

/** A candidate, and its place in the text. */
interface Phrase extends Span {
  readonly text: string;
  /**
   * `opening`: the text has it at the beginning of sentences only. `word`: the text has it, or the first word of an `opening`, in
   * lower case too, which speaks against a name.
   */
  readonly kind: 'phrase' | 'opening' | 'word';
}

function* quotedPhrases(prose: string): Generator<Phrase> {
  for (const match of prose.matchAll(QUOTED)) {
    const text = match[0].slice(1, -1).trim();
    if (isShort(text)) yield { text, kind: 'phrase', start: match.index, end: match.index + match[0].length };
  }
}

function isShort(phrase: string): boolean {
  return (phrase.match(WORD)?.length ?? 0) <= MAX_PHRASE_WORDS;
}

interface ProseWord extends Span {
  readonly text: string;
  /** Whether the phrase of the word before ends before this word. */
  readonly isFirst: boolean;
  /** Whether a sentence, heading or list item begins with it. */
  readonly beginsSentence: boolean;
}

function* capitalisedPhrases(words: readonly ProseWord[]): Generator<Phrase> {
  const folded = words.slice(0, MAX_LANGUAGE_WORDS).map(({ text }) => fold(text));
  const context = { isGerman: looksGerman(folded), isFunctionWord: functionWordTest(folded) };
  let run: ProseWord[] = [];
  for (const word of words) {
    const continues = !word.isFirst && (isName(word.text) || (run.length > 0 && CONNECTORS.has(word.text)));
    if (continues && (run.length > 0 || isName(word.text))) {
      run.push(word);
      continue;
    }
    yield* phrasesOfRun(run, context);
    run = isName(word.text) ? [word] : [];
  }
  yield* phrasesOfRun(run, context);
}

/** A longer word is no name. `UNUSUAL_CASE` would take time that is quadratic in its length. */
function isName(word: string): boolean {
  if (word.length > MAX_PHRASE_LENGTH) return false;
  return (CAPITALISED.test(word) || UNUSUAL_CASE.test(word)) && !NO_CASE.test(word);
}

/** What the language of a text says about its words. */
interface LanguageContext {
  readonly isGerman: boolean;
  /** @param word folded */
  readonly isFunctionWord: (word: string) => boolean;
}

function* phrasesOfRun(
  run: readonly ProseWord[],
  { isGerman, isFunctionWord: isFunction }: LanguageContext,
): Generator<Phrase> {
  const first = run.findIndex(({ text }) => !isFunction(fold(text)));
  const last = run.findLastIndex(({ text }) => !isFunction(fold(text)));
  if (first < 0) return;
  const words = run.slice(first, last + 1);
  if (words.length > MAX_PHRASE_WORDS) return;
  const [only] = words;
  const isUnusual = UNUSUAL_CASE.test(only!.text);
  if (words.length === 1 && !isUnusual && (isGerman || only!.text.length < 3)) return;
  const text = words.map((word) => word.text.replace(/['’]s$/, '')).join(' ');
  const kind = only!.beginsSentence && !isUnusual ? 'opening' : 'phrase';
  if (text.length <= MAX_PHRASE_LENGTH) yield { text, kind, start: only!.start, end: words.at(-1)!.end };
}

function proseWords(prose: string): ProseWord[] {
  const words: ProseWord[] = [];
  let end = 0;
  for (const match of prose.matchAll(WORD)) {
    const gap = prose.slice(Math.max(end, match.index - 20), match.index);
    const beginsSentence = end === 0 || /[.!?:…|]|\n\s*\n|\n\s*[^\p{L}\p{N}\s]|["“„«»]$/u.test(gap);
    const isFirst = beginsSentence || !/^[^\S\n]*\n?[^\S\n]*$/.test(gap);
    end = match.index + match[0].length;
    words.push({ text: match[0], start: match.index, end, isFirst, beginsSentence });
  }
  return words;
}

/** The words at the beginning of a text that show its language. */
const MAX_LANGUAGE_WORDS = 2000;

/** Whether a text has more function words of German than of English. Words of both languages do not count. */
function looksGerman(words: readonly string[]): boolean {
  let german = 0;
  let english = 0;
  for (const word of words) {
    if (isGermanFunctionWord(word)) german++;
    else if (isFunctionWord(word)) english++;
  }
  return german > english;
}

/** @param spans in order and without overlaps */
function overlapsAny({ start, end }: Span, spans: readonly Span[]): boolean {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.end <= start) low = middle + 1;
    else high = middle;
  }
  return low < spans.length && spans[low]!.start < end;
}
