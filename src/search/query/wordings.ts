import { analyze, fold, stem } from '../../core/text/analyze.ts';
import { isStopWord } from '../../core/text/stop-words.ts';
import { MIN_FILE_NAME_LENGTH } from '../../store/lexical/text-fields.ts';
import type { RecordHeader, TextTerm } from '../../store/search-model.ts';

/** A way in which texts write a word of a query. */
export interface Wording extends TextTerm {
  /** The folded text; for several words, their surfaces separated by spaces. */
  readonly surface: string;
}

/** `1299.50`, `1,299.50`, `1.299,50`, `1'299`: the whole part, its separator, and the decimals. */
const NUMBER = /^(\d{1,3}(?:([.,'’])\d{3})(?:\2\d{3})*|\d{1,12})(?:[.,](\d{1,2}))?$/;
/** A shorter number is rarely grouped. */
const MIN_GROUPED_LENGTH = 5;
const WITH_UNIT = /^(\d+(?:[.,]\d+)?)(\p{L}{1,4})$/u;
const DECIMAL = /^\d+(?:[.,]\d+)?$/;
const UNIT = /^\p{L}{1,4}$/u;
/** A shortened hash; letters alone could be a word. */
const HASH_PREFIX = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{6,39}$/i;
/** What git and others show of a hash of SHA-1 or SHA-256. */
const SHORT_HASH_LENGTHS = [7, 8, 9, 10, 11, 12];
const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
const UUID_PREFIX = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}-[0-9a-f]{1,11}$/i;
/** `e-mail`, `node.js`. */
const COMPOUND = /^(\p{L}{1,12})[-.](\p{L}{1,12})$/u;

/** Whether a word is a number, which separators divide into the words of one phrase. */
export function isNumber(word: string): boolean {
  return NUMBER.test(word);
}

/** Other ways in which texts write a word of a query. */
export function otherWordings(word: string): Wording[] {
  return [...numberWordings(word), ...withUnit(word), ...hashWordings(word), ...compound(word)];
}

/** How a number and its unit are written in one word, `250GB`; none for other words. */
export function joinedUnit(number: string, unit: string): Wording[] {
  return DECIMAL.test(number) && UNIT.test(unit) ? [wordingOf(number + unit)] : [];
}

/** The words of a text as one phrase. */
export function wordingOf(text: string): Wording {
  const tokens = analyze(text).filter(({ kind }) => kind !== 'tail');
  return {
    terms: tokens.map(({ term }) => term),
    surface: tokens.map(({ surface }) => surface).join(' '),
    prefix: false,
  };
}

/** With and without separators of thousands, and with and without a zero at the end of the decimals. */
function numberWordings(word: string): Wording[] {
  const [, whole, separator, decimals] = NUMBER.exec(word) ?? [];
  if (whole === undefined) return [];
  const digits = whole.replaceAll(/\D/g, '');
  const grouped = digits.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, ' ');
  const isGrouped = separator !== undefined || decimals !== undefined || digits.length >= MIN_GROUPED_LENGTH;
  const wholes = isGrouped ? [digits, grouped] : [];
  const exact = (decimals ?? '').replace(/0+$/, '');
  const endings = decimals === undefined ? [''] : [exact, exact.padEnd(2, '0')];
  return wholes.flatMap((each) => endings.map((ending) => wordingOf(`${each} ${ending}`)));
}

function withUnit(word: string): Wording[] {
  const [, number, unit] = WITH_UNIT.exec(word) ?? [];
  return number === undefined ? [] : [wordingOf(`${number} ${unit ?? ''}`)];
}

/** A short hash finds the words that begin with it, a whole one its short forms. */
function hashWordings(word: string): Wording[] {
  const surface = fold(word);
  if (HASH.test(word))
    return SHORT_HASH_LENGTHS.map((length) => surface.slice(0, length)).map((short) => ({
      terms: [stem(short)],
      surface: short,
      prefix: false,
    }));
  if (!HASH_PREFIX.test(word) && !UUID_PREFIX.test(word)) return [];
  const groups = surface.split('-');
  return [{ terms: groups, surface: groups.join(' '), prefix: true }];
}

function compound(word: string): Wording[] {
  const [, first, second] = COMPOUND.exec(word) ?? [];
  return first === undefined ? [] : [wordingOf(first + (second ?? ''))];
}

/** The endings of notes. */
const NOTE_FILE = /\.(?:md|markdown|txt|canvas)$/;
const ENDING = /\.[a-z][a-z0-9]{0,9}$/;
/** `./notes/a.md`, `~/notes/a.md`, `/home/ada/notes/a.md`. */
const ROOT = /^(?:\.{1,2}|~)?\/+/;

/**
 * The folded path that a word of a query may name a note by; `null` for another word.
 * @param isAlone whether the query has no other words: `Plugins/List of commands` is no path without the ending of a note
 */
export function notePathOf(word: string, isAlone: boolean): string | null {
  const path = fold(word).replaceAll('\\', '/').replace(ROOT, '');
  if (!NOTE_FILE.test(path) && !(isAlone && path.includes('/'))) return null;
  const name = nameOf(path);
  return name.length < MIN_FILE_NAME_LENGTH || isStopWord(name) ? null : path;
}

/** The words of the file name, which are indexed with the title or the text of the note. */
export function fileNameWording(path: string): Wording {
  return wordingOf(nameOf(path));
}

/** Whether the path of a note is this one, or ends with it, or the other way round for an absolute path. */
export function namesFile(path: string, { origin, key }: RecordHeader): boolean {
  if (origin !== 'vault' || key === null) return false;
  const file = fold(key);
  return [file, file.replace(ENDING, '')].some(
    (own) => own === path || own.endsWith(`/${path}`) || path.endsWith(`/${own}`),
  );
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(NOTE_FILE, '');
}
