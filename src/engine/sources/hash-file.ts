import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { open } from 'node:fs/promises';

/** By place and state of a file: what has not changed is not read again. */
const known = new Map<string, string>();
const MOST_KNOWN = 10_000;
/**
 * Milliseconds. A file that was changed later than this before it was read may be changed once more, and its times stay
 * the same: clocks of file systems tick every few milliseconds, of some every two seconds (the "racy" entries of Git's index).
 */
const SETTLED = 2000;

/** SHA-256 of a file's bytes, hexadecimal. @throws the file system's error */
export async function hashFile(path: string): Promise<string> {
  await using handle = await open(path);
  const now = Date.now();
  const found = await handle.stat({ bigint: true });
  const state = stateOf(found);
  const before = known.get(state);
  if (before !== undefined) return before;
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
  const digest = hash.digest('hex');
  // While it was written to, and right after, its state says nothing of what was read.
  const isSettled = now - Number(found.ctimeMs) > SETTLED && now - Number(found.mtimeMs) > SETTLED;
  if (isSettled && stateOf(await handle.stat({ bigint: true })) === state) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(state, digest);
  }
  return digest;
}

function stateOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
