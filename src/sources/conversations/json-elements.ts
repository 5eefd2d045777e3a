import { isJsonMap, type JsonMap, parseJson } from '../../core/json.ts';
import type { ByteWindow } from './byte-window.ts';

/** Bytes of the longest conversation that is read. */
const MAX_ELEMENT_BYTES = 32 * 1024 * 1024;
/** After damage, at most so many times the bytes read so far are examined in vain. */
const MAX_WASTE_FACTOR = 16;
const HEAD_BYTES = 64 * 1024;

const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [COMMA, QUOTE, BACKSLASH, SPACE] = [0x2c, 0x22, 0x5c, 0x20];
const SPACES: ReadonlySet<number> = new Set(Buffer.from(' \n\r\t'));
/** What JSON has outside of texts and brackets. */
const OUTSIDE: ReadonlySet<number> = new Set(Buffer.from(' \n\r\t,:0123456789+-.eEtrufalsn'));

/** An object of a list; or why one cannot be read, where it begins, and its beginning. */
export type JsonElement =
  { readonly value: JsonMap } | { readonly problem: string; readonly offset: number; readonly head: string };

/**
 * The objects of a list, whether the list is the file, is `conversations` of an object, or has no brackets. One is in memory at a time.
 * A damaged one is named, and the search goes on within it for the next object that is wanted.
 */
export async function* readElements(
  window: ByteWindow,
  isWanted: (value: JsonMap) => boolean,
): AsyncGenerator<JsonElement> {
  const { start, isList } = await beginning(window);
  let at = start;
  /** Whether the place in the list is known. Without it, only what is wanted counts as an object of the list. */
  let isInStep = true;
  let wasted = 0;
  for (;;) {
    const next: Found | null = isInStep ? await nextInList(window, at) : await findObject(window, at);
    if (next === null) {
      if (isList && isInStep) yield { problem: 'the file ends before its list does', offset: at, head: '' };
      return;
    }
    at = next.at;
    if (next.found === 'other')
      yield { problem: 'there is something else than an object before it', offset: at, head: '' };
    isInStep &&= next.found === 'object';
    if (next.found !== 'object') continue;
    const { end, state } = await scan(window, at);
    const value = state === 'whole' ? parseJson(window.text(at, end)) : undefined;
    if (isJsonMap(value)) {
      isInStep ||= isWanted(value);
      if (isInStep) yield { value };
      at = end;
      continue;
    }
    const head = window.text(at, Math.min(end, at + 2000));
    if (isInStep) yield { problem: PROBLEMS[state], offset: at, head };
    isInStep = false;
    wasted += end - at;
    at++;
    if (wasted <= MAX_WASTE_FACTOR * (window.end + MAX_ELEMENT_BYTES)) continue;
    yield { problem: 'it is too damaged to be read further', offset: at, head: '' };
    return;
  }
}

const PROBLEMS = {
  whole: 'it is not JSON',
  broken: 'it is not JSON',
  cut: 'the file ends within it',
  large: `it has more than ${String(MAX_ELEMENT_BYTES / 1024 / 1024)} MB`,
} as const;

/** The beginning of the list, after a byte order mark, and whether it has a bracket. */
async function beginning(window: ByteWindow): Promise<{ start: number; isList: boolean }> {
  while (window.end < HEAD_BYTES && (await window.more(0)));
  const head = window.text(0, Math.min(window.end, HEAD_BYTES));
  const [opening = ''] =
    /^\ufeff?\s*\{(?:(?!"(?:mapping|chat_messages)")[^])*?"conversations"\s*:\s*\[/.exec(head) ??
    /^\ufeff?\s*\[?/.exec(head) ??
    [];
  return { start: Buffer.byteLength(opening), isList: opening.endsWith('[') };
}

interface Found {
  readonly at: number;
  readonly found: 'object' | 'end' | 'other';
}

/** What follows in the list: an object, the end of the list, or something else. `null` at the end of the file. */
async function nextInList(window: ByteWindow, start: number): Promise<Found | null> {
  for (let at = start; ;) {
    const bytes = window.from(at);
    const index = bytes.findIndex((byte) => byte !== COMMA && !SPACES.has(byte));
    const found = bytes[index] === OPEN_OBJECT ? 'object' : bytes[index] === CLOSE_LIST ? 'end' : 'other';
    if (index >= 0) return { at: at + index, found };
    at = window.end;
    if (!(await window.more(at))) return null;
  }
}

/** The next place where an object may begin. */
async function findObject(window: ByteWindow, start: number): Promise<Found | null> {
  for (let at = start; ;) {
    const index = window.from(at).indexOf(OPEN_OBJECT);
    at = index < 0 ? window.end : at + index;
    const bytes = window.from(at);
    const key = bytes.findIndex((byte, i) => i > 0 && !SPACES.has(byte));
    if (key > 0 && bytes[key] === QUOTE) return { at, found: 'object' };
    if (key > 0) at++;
    else if (!(await window.more(at))) return null;
  }
}

/**
 * Finds the end of the object that begins at an offset, by its brackets. Letters outside of texts show soon that a quote is missing or
 * too many. A bracket that is missing shows at the end of the file, or where the object becomes too large.
 */
async function scan(
  window: ByteWindow,
  start: number,
): Promise<{ end: number; state: keyof typeof PROBLEMS }> {
  let [at, depth, isInText] = [start, 0, false];
  for (;;) {
    const bytes = window.from(start);
    for (; at - start < bytes.length; at++) {
      const byte = bytes[at - start]!;
      if (isInText) {
        if (byte === BACKSLASH) at++;
        else if (byte === QUOTE) isInText = false;
        else if (byte < SPACE) return { end: at, state: 'broken' };
      } else if (byte === QUOTE) isInText = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (--depth === 0) return { end: at + 1, state: 'whole' };
      } else if (!OUTSIDE.has(byte)) return { end: at, state: 'broken' };
    }
    if (at - start > MAX_ELEMENT_BYTES) return { end: window.end, state: 'large' };
    if (!(await window.more(start))) return { end: window.end, state: 'cut' };
  }
}
