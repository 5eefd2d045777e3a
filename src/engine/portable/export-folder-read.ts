import { z } from 'zod';
import { LociError, messageOf } from '../../core/errors.ts';
import type { TaskThread } from '../../core/threads/task-thread.ts';
import { MANIFEST, numberIn, READ_FILED } from './export-file-text.ts';
import type { Arrival } from './import-run.ts';
import { FORMAT, portableOf, VERSION } from './portable-line.ts';
import { parsed } from './portable-record.ts';
import type { TextFiles } from './text-files.ts';

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  version: z.number(),
  counts: z.record(z.string(), z.number()),
});

const FOLDERS = ['records', '.deleted', 'startup', 'audit', 'history'];

/** What of a folder belongs to an export. */
export function isOfExport(path: string): boolean {
  return path === MANIFEST || FOLDERS.includes(path.split('/')[0] ?? '');
}

/** How many things of each kind were exported. @throws LociError `invalid_input` where it is no export of this version */
export async function countsOf(files: TextFiles): Promise<Readonly<Record<string, number>>> {
  const manifest = parsed(manifestSchema, await jsonIn(files));
  if (typeof manifest === 'string')
    throw new LociError('invalid_input', `${MANIFEST} is not that of an export: ${manifest}`);
  if (manifest.version === VERSION) return manifest.counts;
  throw new LociError(
    'invalid_input',
    `the export is of version ${String(manifest.version)} of the format; this Loci reads version ${String(VERSION)}`,
    { hint: 'Update Loci. Nothing was imported.' },
  );
}

async function jsonIn(files: TextFiles): Promise<unknown> {
  try {
    return JSON.parse(await files.read(MANIFEST, 'exact'));
  } catch (error) {
    if (error instanceof LociError) throw error;
    throw new LociError('invalid_input', `${MANIFEST} is no JSON: ${messageOf(error)}`, { cause: error });
  }
}

/** Startup entries, records by number, the audit log, runs; and what is missing of each. */
export async function* arrivalsBelow(
  files: TextFiles,
  counts: Readonly<Record<string, number>>,
  thread: TaskThread,
): AsyncGenerator<Arrival> {
  const below = (folder: string): string[] => files.paths.filter((path) => path.startsWith(`${folder}/`));
  const records = [...below('records'), ...below('.deleted')].toSorted((a, b) => numberIn(a) - numberIn(b));
  const kinds = [
    ['startup', arrivalsOf(files, below('startup'), 'startup', thread)],
    ['records', arrivalsOf(files, records, 'record', thread)],
    ['audit', arrivalsOfLines(files, below('audit'), 'audit')],
    ['history', arrivalsOfLines(files, below('history'), 'history')],
  ] as const;
  for (const [kind, arrivals] of kinds) {
    let here = 0;
    for await (const arrival of arrivals) {
      here++;
      yield arrival;
    }
    const exported = counts[kind] ?? 0;
    if (here >= exported) continue;
    yield { where: kind, fault: `${String(exported)} were exported, and ${String(here)} are here` };
  }
}

async function* arrivalsOf(
  files: TextFiles,
  paths: readonly string[],
  type: 'record' | 'startup',
  thread: TaskThread,
): AsyncGenerator<Arrival> {
  for (const path of paths) yield await arrivalIn(files, path, type, thread);
}

async function arrivalIn(
  files: TextFiles,
  path: string,
  type: 'record' | 'startup',
  thread: TaskThread,
): Promise<Arrival> {
  try {
    const text = await files.read(path, 'exact');
    const item = await thread.run(READ_FILED, [type, text], { size: text.length });
    return typeof item === 'string' ? { where: path, fault: item } : { where: path, item };
  } catch (error) {
    if (error instanceof LociError) return { where: path, fault: error.message };
    throw error;
  }
}

async function* arrivalsOfLines(
  files: TextFiles,
  paths: readonly string[],
  type: 'audit' | 'history',
): AsyncGenerator<Arrival> {
  for (const path of paths) {
    const text = await textOrFault(files, path);
    if ('fault' in text) yield text;
    else {
      for (const [i, line] of text.lines.entries()) {
        if (line.trim() !== '') yield lineArrival(line, `${path} line ${String(i + 1)}`, type);
      }
    }
  }
}

async function textOrFault(
  files: TextFiles,
  path: string,
): Promise<{ readonly lines: readonly string[] } | { readonly where: string; readonly fault: string }> {
  try {
    return { lines: (await files.read(path, 'exact')).split('\n') };
  } catch (error) {
    if (error instanceof LociError) return { where: path, fault: error.message };
    throw error;
  }
}

function lineArrival(line: string, where: string, type: 'audit' | 'history'): Arrival {
  try {
    const { type: _, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const item = portableOf(type, fields);
    return typeof item === 'string' ? { where, fault: item } : { where, item };
  } catch (error) {
    return { where, fault: `it is no JSON: ${messageOf(error)}` };
  }
}
