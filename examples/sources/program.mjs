// What the programs of this folder share: their command line, reading within limits, and how they fail.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

/** Bytes of a file that is read whole; a longer one is left out. */
const MAX_FILE = 10 * 1024 * 1024;
/** Bytes of all of them together. */
const MAX_TOTAL = 100 * 1024 * 1024;
let total = 0;

/** The command line was wrong: exit code 2. */
export class UsageError extends Error {}

/**
 * Parses the command line and prints what `documents({ values, positionals, warn })` resolves to, as JSON Lines.
 * Exit code 0; 1 if it threw, so that what is known of the source stays; 2 after a UsageError.
 * @param {{ help: string, options?: object, least?: number, most?: number, documents: Function }} program
 */
export async function runProgram({ help, options = {}, least = 0, most = Infinity, documents }) {
  const name = basename(process.argv[1], '.mjs');
  const warn = (message) => process.stderr.write(`${name}: ${message}\n`);
  // Whoever reads may have seen enough.
  process.stdout.on('error', () => process.exit(1));
  try {
    const { values, positionals } = commandLine(options);
    if (values.help) {
      process.stdout.write(help);
      return;
    }
    if (positionals.length < least) throw new UsageError('what to read is missing');
    if (positionals.length > most)
      throw new UsageError(`${JSON.stringify(positionals[most])} is one too many`);
    const lines = (await documents({ values, positionals, warn })).map((each) => `${JSON.stringify(each)}\n`);
    process.stdout.write(lines.join(''));
  } catch (error) {
    warn(error.message);
    if (error instanceof UsageError) process.stderr.write(`Try: node ${name}.mjs --help\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

function commandLine(options) {
  try {
    return parseArgs({ options: { ...options, help: { type: 'boolean' } }, allowPositionals: true });
  } catch (error) {
    // The first sentence says what is wrong, the next ones how Node would have it.
    throw new UsageError(error.message.split('. ')[0]);
  }
}

/** A whole number of an option, from 0 to `most`. */
export function wholeNumber(values, option, most) {
  const text = values[option];
  if (!/^\d{1,9}$/.test(text) || Number(text) > most)
    throw new UsageError(`--${option} takes a whole number from 0 to ${most}, not ${JSON.stringify(text)}`);
  return Number(text);
}

/** Milliseconds since 1970 of `--now`, for trying things out; else of this moment. */
export function currentTime(values) {
  if (values.now === undefined) return Date.now();
  const time = Date.parse(values.now);
  if (Number.isNaN(time))
    throw new UsageError(`--now takes a time such as 2026-11-22T09:00:00Z, not ${values.now}`);
  return time;
}

/**
 * What `read(file)` returns for each file. One that cannot be read is named and left out; throws if none could be.
 * @template T
 * @param {{ path: string }[]} files
 * @param {(file: { path: string }) => T} read
 * @param {(message: string) => void} warn
 * @returns {T[]}
 */
export function readEach(files, read, warn) {
  const results = [];
  for (const file of files) {
    try {
      results.push(read(file));
    } catch (error) {
      warn(`${file.path}: ${reasonOf(error)}`);
    }
  }
  if (results.length === 0 && files.length > 0) throw new Error('nothing could be read');
  return results;
}

/** The text of a file. Throws on anything but a regular file of at most 10 MiB, and after 100 MiB of such files. */
export function readText(path) {
  const bytes = readHead(path, MAX_FILE + 1);
  if (bytes.length > MAX_FILE) throw new Error(`larger than ${MAX_FILE / 1024 / 1024} MiB`);
  total += bytes.length;
  if (total > MAX_TOTAL) throw new Error(`more than ${MAX_TOTAL / 1024 / 1024} MiB in all`);
  return new TextDecoder().decode(bytes);
}

/** The first bytes of a regular file. */
export function readHead(path, limit) {
  // Opening a named pipe would wait for somebody to write to it.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error('not a file');
    const bytes = Buffer.alloc(Math.min(limit, stat.size));
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** Why something could not be read, in words. */
export function reasonOf(error) {
  if (error.code === 'ENOENT') return 'there is no such file or folder';
  if (error.code === 'EACCES' || error.code === 'EPERM') return 'it may not be read';
  return error.message;
}
