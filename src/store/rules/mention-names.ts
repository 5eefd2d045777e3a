import { analyze, type Token } from '../../core/text/analyze.ts';
import { isStopWord } from '../../core/text/stop-words.ts';
import type { LociRecord } from '../../core/types.ts';
import { fileNameOf, linkNameOfKey } from './link-index.ts';

/** A longer title is a sentence, which no text repeats. */
export const MAX_NAME_WORDS = 8;
/** A name that more records have says nothing about one of them. */
export const MAX_BEARERS = 5;
/** A note with more aliases than this has more names than a text can mean. */
const MAX_NAMES = 20;
/** A shorter word, such as "X", occurs in texts that do not mean the record. A CJK bigram has two characters. */
const MIN_LETTERS = 3;
/** A longer text is not a name, and need not be analyzed. */
const MAX_NAME_LENGTH = 200;
/** "Mercury (planet)" is mentioned as "Mercury". */
const QUALIFIER = /\s*\([^()]*\)\s*$/;

/**
 * The names by which a text may mention a record: the title of a note or a memory, without what follows in parentheses too,
 * the aliases, and the name of the file, each as the words of the analyzer. Documents of sources have none, and turns of
 * sessions have no title.
 */
export function mentionNames(record: NamedRecord): string[] {
  const names = new Set<string>();
  for (const name of writtenNames(record)) {
    const words = queriedTokens(name);
    if (isName(words)) names.add(nameOf(words));
    if (names.size === MAX_NAMES) break;
  }
  return [...names];
}

type NamedRecord = Pick<LociRecord, 'origin' | 'key' | 'title' | 'metadata'>;

/** The names of `mentionNames` as written, the title first. Some may be equal, or no names at all. */
export function writtenNames({ origin, key, title, metadata }: NamedRecord): string[] {
  if (origin !== 'vault' && origin !== 'memory') return [];
  const { aliases } = metadata;
  return [
    title,
    title.replace(QUALIFIER, ''),
    ...(origin === 'vault' && key !== null ? [fileNameOf(key)] : []),
    ...(Array.isArray(aliases) ? aliases : []),
  ].filter((name): name is string => typeof name === 'string' && name.length <= MAX_NAME_LENGTH);
}

/** The tokens of a text that names consist of. */
export function queriedTokens(text: string): Token[] {
  return analyze(text).filter(({ kind }) => kind !== 'tail');
}

/** The form in which names are compared. */
export function nameOf(words: readonly Token[]): string {
  return words.map(({ surface }) => surface).join(' ');
}

/** Whether words can be a name: not too many, neither the first nor the last a function word, not a letter or two alone. */
export function isName(words: readonly Token[]): boolean {
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined || words.length > MAX_NAME_WORDS) return false;
  if (isStopWord(first.surface) || isStopWord(last.surface)) return false;
  return words.length > 1 || first.kind === 'bigram' || first.surface.length >= MIN_LETTERS;
}

/** The names of a note, folded, each once: its title, its aliases, and the name of its file. Other records have none. */
export function noteNames({
  origin,
  key,
  title,
  metadata,
}: Pick<LociRecord, 'origin' | 'key' | 'title' | 'metadata'>): string[] {
  if (origin !== 'vault' || key === null) return [];
  const { aliases } = metadata;
  const written = [title, ...(Array.isArray(aliases) ? aliases : [])].filter(
    (name) => typeof name === 'string',
  );
  const names = new Set([...written, linkNameOfKey(key)].map(foldNoteName));
  return [...names].filter((name) => name !== '');
}

/** The form in which names of notes are compared: lower case, with composed characters. */
export function foldNoteName(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}
