import { randomBytes } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../../core/fs/file-errors.ts';

const FILE = 'openclaw-peers.key';
const KEY_BYTES = 32;

/**
 * The key that hides the names of senders in the names of their namespaces. It is made once for a home: the numbers of a telephone
 * could be found by trying all of them, if no secret were in their hashes.
 */
export async function loadPeerKey(home: string): Promise<string> {
  const file = join(home, FILE);
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
  await writeFile(temporary, randomBytes(KEY_BYTES).toString('hex'), { mode: 0o600, flag: 'wx' });
  try {
    // Another gateway may make one at the same time: the first is used by both.
    await link(temporary, file).catch((error: unknown) => {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    });
  } finally {
    await unlink(temporary);
  }
  return readFile(file, 'utf8');
}
