import { LociError } from '../../core/errors.ts';
import { pacer } from './pace.ts';
import { parseLines } from './parse-lines.ts';
import { parseList } from './parse-list.ts';
import type { PrintedValue } from './printed.ts';
import { shownLine } from './shown-text.ts';

/** Characters of what is no JSON that are shown. */
const SHOWN = 60;
/** Characters that are parsed at a time: some milliseconds where all of them are escapes. */
const SLICE = 4096;

/**
 * The values that a command prints, as they come: those of a JSON array, one on each line of JSON Lines, or with `items`
 * those of the list at that path within one JSON value. UTF-8, with or without a byte order mark.
 * @throws LociError `source_failed` for output that is neither, ends in the middle, or holds too many;
 *   `invalid_config` for a path that is none
 */
export async function* parseDocuments(
  output: AsyncIterable<Uint8Array>,
  items?: string,
): AsyncGenerator<PrintedValue> {
  const texts = decode(output);
  const beginning = await readBeginning(texts);
  const all = slices(beginning, texts);
  if (!beginning.startsWith('[') && !beginning.startsWith('{'))
    throw new LociError(
      'source_failed',
      `the output is no JSON: it begins with ${shownLine(beginning, SHOWN)}`,
      { hint: 'It must print a JSON array of documents, or one document on each line.' },
    );
  if (items !== undefined || beginning.startsWith('[')) yield* parseList(all, items);
  else yield* parseLines(all);
}

/** From the first character that is not blank: as much as is shown of it if it is no JSON. */
async function readBeginning(texts: AsyncGenerator<string>): Promise<string> {
  let beginning = '';
  for (let next = await texts.next(); next.done !== true; next = await texts.next()) {
    beginning = (beginning + next.value).trimStart();
    if (/^[[{]/.test(beginning) || beginning.length >= SHOWN) return beginning;
  }
  if (beginning !== '') return beginning;
  throw new LociError('source_failed', 'the command printed nothing; an empty list is []');
}

async function* slices(beginning: string, texts: AsyncGenerator<string>): AsyncGenerator<string> {
  const pace = pacer();
  for (let text = beginning; ;) {
    for (let at = 0; at < text.length;) {
      const end = endOfSlice(text, at);
      yield text.slice(at, end);
      at = end;
      await pace();
    }
    const next = await texts.next();
    if (next.done === true) return;
    text = next.value;
  }
}

/** Not within a surrogate pair. */
function endOfSlice(text: string, start: number): number {
  const end = start + SLICE;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}

async function* decode(output: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decoded = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (cause) {
      throw new LociError('source_failed', 'the output is not UTF-8', { cause });
    }
  };
  for await (const bytes of output) {
    const text = decoded(bytes);
    if (text !== '') yield text;
  }
  decoded();
}
