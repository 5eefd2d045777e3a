import { LociError } from '../../core/errors.ts';
import { eventLoopYielder } from '../../core/threads/slices.ts';
import { parseLines } from './parse-lines.ts';
import { parseList } from './parse-list.ts';
import type { OutputValue } from '../documents/output-value.ts';
import { quotedExcerpt } from './run/printable-text.ts';

/** Characters of invalid output that an error quotes. */
const MAX_QUOTED_LENGTH = 60;
/** Characters that are parsed at a time, which takes a few milliseconds even if all of them are escapes. */
const SLICE_LENGTH = 4096;

/**
 * Parses the output of a command while it arrives: the items of a JSON array, the lines of JSON Lines, or with `items` the list at
 * that path within one JSON value. The output is UTF-8, with or without a byte order mark.
 * @throws LociError `source_failed` for output that is neither, is cut off, or has too many documents; `invalid_config` for a bad
 *   path
 */
export async function* parseDocuments(
  output: AsyncIterable<Uint8Array>,
  items?: string,
): AsyncGenerator<OutputValue> {
  const texts = decode(output);
  const beginning = await readBeginning(texts);
  const all = slices(beginning, texts);
  if (!beginning.startsWith('[') && !beginning.startsWith('{'))
    throw new LociError(
      'source_failed',
      `the output is not JSON: it begins with ${quotedExcerpt(beginning, MAX_QUOTED_LENGTH)}`,
      { hint: 'The command must print a JSON array of documents, or one document on each line.' },
    );
  if (items !== undefined || beginning.startsWith('[')) yield* parseList(all, items);
  else yield* parseLines(all);
}

/** The output from the first character that is not blank, long enough to be quoted if it is not JSON. */
async function readBeginning(texts: AsyncGenerator<string>): Promise<string> {
  let beginning = '';
  for (let next = await texts.next(); next.done !== true; next = await texts.next()) {
    beginning = (beginning + next.value).trimStart();
    if (/^[[{]/.test(beginning) || beginning.length >= MAX_QUOTED_LENGTH) return beginning;
  }
  if (beginning !== '') return beginning;
  throw new LociError('source_failed', 'the command printed nothing; an empty list is printed as []');
}

async function* slices(beginning: string, texts: AsyncGenerator<string>): AsyncGenerator<string> {
  const yieldIfBusy = eventLoopYielder();
  for (let text = beginning; ;) {
    for (let offset = 0; offset < text.length;) {
      const end = endOfSlice(text, offset);
      yield text.slice(offset, end);
      offset = end;
      await yieldIfBusy();
    }
    const next = await texts.next();
    if (next.done === true) return;
    text = next.value;
  }
}

/** Does not split a surrogate pair. */
function endOfSlice(text: string, start: number): number {
  const end = start + SLICE_LENGTH;
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
