// Functions that the programs of this folder share: parsing the command line, reading files within limits, exit codes.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

/** Larger files are skipped. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** The limit of all files together. */
const MAX_TOTAL_BYTES = 100 * 1024 * 1024;
let totalBytes = 0;

/** An error in the command line, with exit code 2. */
export class UsageError extends Error {}

/**
 * Parses the command line and prints what `documents({ values, positionals, warn })` resolves to, as JSON Lines.
 * The exit code is 0, 1 if it throws, so that Loci keeps the documents that it has, or 2 after a UsageError.
 * @param {{ help: string, options?: object, least?: number, most?: number, documents: Function }} program
 */
export async function runProgram({ help, options = {}, least = 0, most = Infinity, documents }) {
  const name = basename(process.argv[1], '.mjs');
  const warn = (message) => process.stderr.write(`${name}: ${message}\n`);
  // The reader may close the pipe early.
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
    // The first sentence names the error. The others are advice of Node.
    throw new UsageError(error.message.split('. ')[0]);
  }
}

/** The value of an option as a whole number from 0 to `most`. */
export function wholeNumber(values, option, most) {
  const text = values[option];
  if (!/^\d{1,9}$/.test(text) || Number(text) > most)
    throw new UsageError(`--${option} takes a whole number from 0 to ${most}, not ${JSON.stringify(text)}`);
  return Number(text);
}

/** The current time, or that of `--now`, in milliseconds since 1970. */
export function currentTime(values) {
  if (values.now === undefined) return Date.now();
  const time = Date.parse(values.now);
  if (Number.isNaN(time))
    throw new UsageError(`--now takes a time such as 2026-11-22T09:00:00Z, not ${values.now}`);
  return time;
}

/**
 * Calls `read` for each file. Reports and skips files that cannot be read, and throws if none could be read.
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

/** The text of a file. Throws if it is no regular file, larger than 10 MiB, or if all files together exceed 100 MiB. */
export function readText(path) {
  return new TextDecoder().decode(readBytes(path));
}

/** The bytes of a regular file, within the limits. */
export function readBytes(path) {
  const bytes = readHead(path, MAX_FILE_BYTES + 1);
  if (bytes.length > MAX_FILE_BYTES) throw new Error(`larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
  totalBytes += bytes.length;
  if (totalBytes > MAX_TOTAL_BYTES) throw new Error(`more than ${MAX_TOTAL_BYTES / 1024 / 1024} MiB in all`);
  return bytes;
}

/** The first bytes of a regular file. */
export function readHead(path, limit) {
  // Without this flag, opening a named pipe would block.
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

/** Describes why a file could not be read. */
export function reasonOf(error) {
  if (error.code === 'ENOENT') return 'there is no such file or folder';
  if (error.code === 'EACCES' || error.code === 'EPERM') return 'it may not be read';
  return error.message;
}
