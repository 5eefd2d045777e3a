import { open, stat } from 'node:fs/promises';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';

/** Lines that can be read from the beginning as often as one likes. */
export type Lines = () => AsyncIterable<string>;

/** UTF-16 units: more than any record has, and little enough to be held. */
export const MAX_LINE: number = 16 * 1024 * 1024;

export function textLines(text: string): Lines {
  return () => linesOf([text]);
}

/** The lines of a file, a piece at a time. What is no regular file is not opened. */
export function fileLines(path: string): Lines {
  return async function* () {
    try {
      // Opening may wait for ever where it is no file (a FIFO); looking does not.
      if (!(await stat(path)).isFile()) throw notAFile(path);
      await using handle = await open(path);
      yield* linesOf(decoded(handle.createReadStream({ autoClose: false }), path));
    } catch (error) {
      if (error instanceof LociError) throw error;
      throw new LociError('unreadable', `${path} cannot be read: ${describeFileError(error)}`, {
        cause: error,
      });
    }
  };
}

function notAFile(path: string): LociError {
  return new LociError('unreadable', `${path} is no regular file`, {
    hint: 'Name a file or a folder; `-` reads standard input.',
  });
}

/** @throws LociError `invalid_input` for bytes that are no UTF-8 */
async function* decoded(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new LociError('invalid_input', `${name} is no text in UTF-8`, { cause: error });
  }
}

/** Ends of lines are left out; an empty last line is none. @throws LociError `invalid_input` for a line without end */
async function* linesOf(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let parts: string[] = [];
  let held = 0;
  let number = 1;
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
      parts.push(piece.slice(from, end));
      yield whole(parts, number++);
      parts = [];
      held = 0;
      from = end + 1;
    }
    parts.push(piece.slice(from));
    held += piece.length - from;
    if (held > MAX_LINE) throw tooLong(number);
  }
  const last = whole(parts, number);
  if (last !== '') yield last;
}

function whole(parts: readonly string[], number: number): string {
  const line = parts.join('');
  if (line.length > MAX_LINE) throw tooLong(number);
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function tooLong(number: number): LociError {
  return new LociError(
    'invalid_input',
    `line ${String(number)} is longer than ${String(MAX_LINE)} characters`,
  );
}
