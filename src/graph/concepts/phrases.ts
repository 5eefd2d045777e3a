import { fold } from '../../core/text/analyze.ts';
import { overlapsAny, type Span } from './credentials.ts';
import { isMentionable, nameKey } from './name.ts';
import { isFunctionWord, isGermanFunctionWord } from './stop-names.ts';

/** Texts are read up to here: what a longer one is about stands at its beginning. */
const MAX_TEXT_LENGTH = 200_000;
/** One record offers at most so many phrases. */
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
 * has is no concept. Single capitalised words count within English sentences only, since German capitalises every noun.
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
  const found = new Map<string, Phrase>();
  const hidden = new Set<string>();
  for (const phrase of [...quotedPhrases(prose), ...capitalisedPhrases(prose)]) {
    const key = nameKey(phrase.text);
    const earlier = found.get(key);
    if (overlapsAny(phrase, secret)) hidden.add(key);
    if (isMentionable(key) && (earlier === undefined || earlier.start > phrase.start)) found.set(key, phrase);
  }
  return [...found]
    .filter(([key, phrase]) => !hidden.has(key) && !isSecret(phrase.text, key))
    .map(([, phrase]) => phrase)
    .sort((a, b) => a.start - b.start)
    .slice(0, MAX_PHRASES);
}

/** A candidate, and its place in the text. */
interface Phrase extends Span {
  readonly text: string;
}

function* quotedPhrases(prose: string): Generator<Phrase> {
  for (const match of prose.matchAll(QUOTED)) {
    const text = match[0].slice(1, -1).trim();
    if (isShort(text)) yield { text, start: match.index, end: match.index + match[0].length };
  }
}

function isShort(phrase: string): boolean {
  return (phrase.match(WORD)?.length ?? 0) <= MAX_PHRASE_WORDS;
}

interface ProseWord extends Phrase {
  /** Whether the phrase of the word before ends before this word. */
  readonly isFirst: boolean;
  /** Whether a sentence, heading or list item begins with it. */
  readonly beginsSentence: boolean;
}

function* capitalisedPhrases(prose: string): Generator<Phrase> {
  const words = proseWords(prose);
  const isGerman = looksGerman(words);
  let run: ProseWord[] = [];
  for (const word of words) {
    const continues = !word.isFirst && (isName(word.text) || (run.length > 0 && CONNECTORS.has(word.text)));
    if (continues && (run.length > 0 || isName(word.text))) {
      run.push(word);
      continue;
    }
    yield* phrasesOfRun(run, isGerman);
    run = isName(word.text) ? [word] : [];
  }
  yield* phrasesOfRun(run, isGerman);
}

/** A longer word is no name. `UNUSUAL_CASE` would take time that is quadratic in its length. */
function isName(word: string): boolean {
  if (word.length > MAX_PHRASE_LENGTH) return false;
  return (CAPITALISED.test(word) || UNUSUAL_CASE.test(word)) && !NO_CASE.test(word);
}

function* phrasesOfRun(run: readonly ProseWord[], isGerman: boolean): Generator<Phrase> {
  const first = run.findIndex(({ text }) => !isFunctionWord(fold(text)));
  const last = run.findLastIndex(({ text }) => !isFunctionWord(fold(text)));
  if (first < 0) return;
  const words = run.slice(first, last + 1);
  if (words.length > MAX_PHRASE_WORDS) return;
  const [only] = words;
  const stands = !isGerman && !only!.beginsSentence && only!.text.length >= 3;
  if (words.length === 1 && !stands && !UNUSUAL_CASE.test(only!.text)) return;
  const text = words.map((word) => word.text.replace(/['’]s$/, '')).join(' ');
  if (text.length <= MAX_PHRASE_LENGTH) yield { text, start: only!.start, end: words.at(-1)!.end };
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

/** Whether a text has more function words of German than of English. Words of both languages do not count. */
function looksGerman(words: readonly ProseWord[]): boolean {
  let german = 0;
  let english = 0;
  for (const { text } of words.slice(0, 2000)) {
    const word = fold(text);
    if (isGermanFunctionWord(word)) german++;
    else if (isFunctionWord(word)) english++;
  }
  return german > english;
}
