import { readFile } from 'node:fs/promises';
import { LociError, messageOf } from '../../core/errors.ts';
import { isJsonMap, type JsonMap } from '../../core/json.ts';
import { readAtMost } from '../../core/read-at-most.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import type { Io } from '../shared/io.ts';

/** Larger than any record. */
const MAX_INPUT_BYTES: number = 16 * 1024 * 1024;

/**
 * Reads all of standard input, without the line break at its end.
 * @throws LociError `invalid_input` if it is too long
 */
export async function readStdin({ stdin }: Io, maxBytes: number = MAX_INPUT_BYTES): Promise<string> {
  const { bytes, isWhole } = await readAtMost(stdin, maxBytes);
  if (!isWhole)
    throw new LociError('invalid_input', `standard input has more than ${String(maxBytes)} bytes`);
  return bytes.toString('utf8').replace(/\r?\n$/, '');
}

/** Reads the JSON object of `--input`. @throws LociError `invalid_input`, `unreadable` */
export async function readInputFile(file: string, io: Io): Promise<JsonMap> {
  const text = file === '-' ? await readStdin(io) : await readText(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new LociError('invalid_input', `--input: not valid JSON: ${messageOf(error)}`, { cause: error });
  }
  if (isJsonMap(value)) return value;
  throw new LociError(
    'invalid_input',
    '--input must contain a JSON object of fields, such as {"query": "oven"}',
  );
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new LociError('unreadable', `--input: ${file} cannot be read: ${describeFileError(error)}`, {
      hint: 'Name a file that contains a JSON object, or - for standard input.',
      cause: error,
    });
  }
}
