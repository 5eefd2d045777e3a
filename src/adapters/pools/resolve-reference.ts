import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { Exclusions, foldersOf, slashed } from '../../sources/files/exclusions.ts';
import { MAX_NOTE_BYTES, noteFormat, readWithin } from '../../sources/files/read-file.ts';
import { isSamePath, isWithin } from '../../sources/files/paths.ts';
import type { MemoryResult } from '../contract.ts';
import { noteHead, noteText, resultMetadata } from './pool-files.ts';
import type { LocatedPool, PoolSet } from './pool-set.ts';

const LINES = /#L(\d{1,9})(?:-L?(\d{1,9}))?$/;

/**
 * The note that a reference names: an absolute path or one below `base`, with lines (`#L3-L9`) or without. `null` if it is no note
 * of a pool that the agent sees, or there is no such note. Only links in the path of the folder of a pool are followed, because an
 * answer would tell of other links in pools that the agent does not see.
 */
export async function resolveReference(
  pools: PoolSet,
  reference: string,
  { agentId, base }: { readonly agentId: string; readonly base: string | undefined },
): Promise<MemoryResult | null> {
  if (typeof reference !== 'string' || reference.includes('\0')) return null;
  // The name of a file may end like lines.
  const [given, startLine, endLine] = LINES.exec(reference) ?? [];
  const whole = await readNote(pools, reference, agentId, base);
  if (whole !== null || given === undefined) return whole;
  const note = await readNote(pools, reference.slice(0, -given.length), agentId, base);
  if (note === null || Number(startLine) === 0) return null;
  const content = note
    .content!.split('\n')
    .slice(Number(startLine) - 1, Number(endLine ?? startLine))
    .join('\n');
  return content === '' ? null : { ...note, uri: `${note.uri}${given}`, content };
}

async function readNote(
  pools: PoolSet,
  reference: string,
  agentId: string,
  base: string | undefined,
): Promise<MemoryResult | null> {
  if (!path.isAbsolute(reference) && base === undefined) return null;
  const bases = base === undefined ? ['/'] : [base, await realpath(base).catch(() => base)];
  const given = bases.map((each) => path.resolve(each, reference));
  const file = await realpath(given[0]!).catch(() => null);
  if (file === null || noteFormat(file) === null) return null;
  const seen = await pools.locate(pools.seenBy(agentId), () => undefined);
  const pool = seen.find((each) => owns(each, file));
  if (pool === undefined || !seen.some((each) => given.some((name) => hasName(each, name, file))))
    return null;
  const key = path.relative(pool.root, file).split(path.sep).join('/');
  if (key.split('/').some((part) => part.startsWith('.') || part === 'node_modules')) return null;
  if (await isExcluded(pool, key)) return null;
  // Since it was resolved, a link to another pool may have taken the place of a folder.
  const read = await readWithin(pool.root, key, MAX_NOTE_BYTES, { exact: true }).catch(
    () => 'special' as const,
  );
  if (typeof read === 'string' || 'tooLarge' in read) return null;
  const text = noteText(key, read.bytes);
  if (text === null) return null;
  return { id: file, uri: file, content: text, metadata: resultMetadata(pool, key, noteHead(key, text)) };
}

/** Whether a real path belongs to a pool, and to no pool below it. */
function owns({ root, inner }: LocatedPool, file: string): boolean {
  return isWithin(root, file) && !inner.some((other) => isWithin(other, file));
}

/** Whether a path names a file of a pool without links below the folder of the pool. */
function hasName({ folder, root }: LocatedPool, name: string, file: string): boolean {
  return [folder, root].some(
    (each) => isWithin(each, name) && isSamePath(path.join(root, path.relative(each, name)), file),
  );
}

/** Whether Obsidian excludes a note. */
async function isExcluded({ id, root }: LocatedPool, key: string): Promise<boolean> {
  const exclusions = new Exclusions(id, [], () => undefined);
  const folders = foldersOf(slashed(key));
  try {
    await exclusions.readAround(root);
    for (const folder of folders) await exclusions.readFolder(path.join(root, folder), folder.slice(0, -1));
    return (await exclusions.filter([key], () => [...folders, slashed(key)])).length === 0;
  } catch {
    // It is not known what is excluded.
    return true;
  }
}
