import { open, stat } from 'node:fs/promises';
import { LociError } from '../../../core/errors.ts';
import { unreadableError } from '../../../core/fs/file-errors.ts';

/** Each call reads the lines from the beginning, without their line breaks. */
export type Lines = () => AsyncIterable<string>;

/** UTF-16 units; longer than the line of any record. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024;

export function textLines(text: string): Lines {
  return () => splitLines([text]);
}

/** The lines of a regular file, read in chunks. */
export function fileLines(path: string): Lines {
  return async function* () {
    try {
      // `open` of a FIFO would wait for a writer; `stat` does not.
      if (!(await stat(path)).isFile()) throw notAFile(path);
      await using handle = await open(path);
      yield* splitLines(decode(handle.createReadStream({ autoClose: false }), path));
    } catch (error) {
      if (error instanceof LociError) throw error;
      throw unreadableError(path, error);
    }
  };
}

function notAFile(path: string): LociError {
  return new LociError('unreadable', `${path} is not a regular file`, {
    hint: 'Name a file or a folder; `-` reads standard input.',
  });
}

/** @throws LociError `invalid_input` for bytes that are not UTF-8 */
async function* decode(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new LociError('invalid_input', `${name} is not text in UTF-8`, { cause: error });
  }
}

/** An empty last line does not count. @throws LociError `invalid_input` for a line that is too long */
async function* splitLines(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let parts: string[] = [];
  let length = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      parts.push(chunk.slice(from, end));
      yield joinLine(parts, number++);
      parts = [];
      length = 0;
      from = end + 1;
    }
    parts.push(chunk.slice(from));
    length += chunk.length - from;
    if (length > MAX_LINE_LENGTH) throw tooLong(number);
  }
  const last = joinLine(parts, number);
  if (last !== '') yield last;
}

function joinLine(parts: readonly string[], number: number): string {
  const line = parts.join('');
  if (line.length > MAX_LINE_LENGTH) throw tooLong(number);
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function tooLong(number: number): LociError {
  return new LociError(
    'invalid_input',
    `line ${String(number)} is longer than ${String(MAX_LINE_LENGTH)} characters`,
  );
}
