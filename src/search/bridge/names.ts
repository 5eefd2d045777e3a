import type { Token } from '../../core/text/analyze.ts';
import { isStopWord } from '../../core/text/stop-words.ts';
import { isLikelyName, phrasesIn } from '../../core/names/phrases.ts';
import { isName, MAX_NAME_WORDS, nameOf, queriedTokens } from '../../store/rules/mention-names.ts';
import type { StoredPassage } from '../../store/search-model.ts';

/** Names that one passage can mention, and phrases that it can share with others. */
const MAX_MENTIONS = 1200;
const MAX_PHRASES = 30;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;
/** What is before a word that does not begin a sentence, a line or a quotation. */
const WITHIN_SENTENCE = /^[\p{L}\p{N},;)] $/u;

/** By passage: a store that caches passages returns the same, unchanged objects for many searches. */
const mentionsByPassage = new WeakMap<StoredPassage, readonly string[]>();
const phrasesByPassage = new WeakMap<StoredPassage, readonly string[]>();

/** Every run of words in the text of a passage that may be the name of a record, in the form of `mentionNames`. */
export function possibleMentions(passage: StoredPassage): readonly string[] {
  return remembered(mentionsByPassage, passage, () => namesIn(queriedTokens(passage.text)));
}

function namesIn(tokens: readonly Token[]): string[] {
  const names = new Set<string>();
  for (let start = 0; start < tokens.length; start++) {
    if (isStopWord(tokens[start]!.surface)) continue;
    for (let length = 1; length <= MAX_NAME_WORDS && start + length <= tokens.length; length++) {
      const words = tokens.slice(start, start + length);
      if (isName(words)) names.add(nameOf(words));
      if (names.size === MAX_MENTIONS) return [...names];
    }
  }
  return [...names];
}

/** The phrases of a passage that may be names, as the concepts have them. */
export function phrasesOf(passage: StoredPassage): readonly string[] {
  return remembered(phrasesByPassage, passage, () =>
    phrasesIn(passage.text)
      .filter(isLikelyName)
      .slice(0, MAX_PHRASES)
      .map(({ text }) => text),
  );
}

function remembered<Value>(
  cache: WeakMap<StoredPassage, Value>,
  passage: StoredPassage,
  compute: () => Value,
): Value {
  const cached = cache.get(passage);
  if (cached !== undefined) return cached;
  const value = compute();
  cache.set(passage, value);
  return value;
}

/** Whether the title or the text of a passage has a phrase as written, as whole words. */
export function hasPhrase({ record, text }: StoredPassage, phrase: string): boolean {
  return isIn(text, phrase) || isIn(record.title, phrase);
}

function isIn(text: string, phrase: string): boolean {
  return occurrences(text, phrase).next().done !== true;
}

/** Where a text has a phrase as whole words. */
function* occurrences(text: string, phrase: string): Generator<number> {
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    const [before, after] = [text[at - 1] ?? '', text[at + phrase.length] ?? ''];
    if (!WORD_CHARACTER.test(before) && !WORD_CHARACTER.test(after)) yield at;
  }
}

export function isSingleWord(phrase: string): boolean {
  return !phrase.includes(' ');
}

/**
 * Whether texts use a capitalised word as a name: more of them have it with a capital within a sentence than in lower case.
 * "However" begins sentences only, and "Warning" is "warning" elsewhere.
 */
export function isUsedAsName(word: string, texts: readonly string[]): boolean {
  const lower = word.toLowerCase();
  let names = 0;
  let words = 0;
  for (const text of texts) {
    if (isIn(text, lower)) words++;
    else if (isWithinSentence(text, word)) names++;
  }
  return names > words;
}

function isWithinSentence(text: string, word: string): boolean {
  for (const at of occurrences(text, word))
    if (WITHIN_SENTENCE.test(text.slice(Math.max(0, at - 2), at))) return true;
  return false;
}
