import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/contract/engines.ts';
import { sha256 } from '../../core/ids.ts';
import { hashFile } from './watched-files.ts';

it('a file that changes right after it was hashed gets a new hash', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'script.sh');
  // All versions have the same length, and some are written within one tick of the file system's clock.
  for (let round = 0; round < 300; round++) {
    const text = `echo ${String(round).padStart(3, '0')}`;
    await writeFile(path, text);
    expect(await hashFile(path)).toBe(sha256(text));
  }
});

it('a changed file with its old timestamp restored gets a new hash', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'script.sh');
  const longAgo = new Date(2020, 1, 1);
  for (const text of ['echo one', 'echo two']) {
    await writeFile(path, text);
    await utimes(path, longAgo, longAgo);
    expect(await hashFile(path)).toBe(sha256(text));
  }
});
