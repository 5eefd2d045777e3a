import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { messageOf } from '../../src/core/errors.ts';
import { CHUNKING, matchingRecords, note } from '../contract/store-samples.ts';
import { fillUp } from '../faults/small-disk.ts';
import { runStatements, serverDatabase } from './database.ts';
import { dataFolder, type Server, startServer } from './server.ts';
import { keysOf, NAMESPACE, open, requirePrograms, Writes } from './written-keys.ts';

const programs = requirePrograms();
let server: Server;
beforeAll(async () => {
  server = await startServer(programs);
});
afterAll(() => server.close());

/** Mounts a small disk for the tablespace of a database. Returns why that is not possible; empty if it is mounted. */
function mountSmallDisk(path: string): string {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', path], { stdio: 'pipe' });
  } catch (error) {
    return `a small disk cannot be mounted: ${messageOf(error)}`;
  }
  if (programs.user !== null) chownSync(path, programs.user.uid, programs.user.gid);
  return '';
}

it('a full disk refuses writes and not reads, and nothing is half written', async (context) => {
  using folder = dataFolder(programs);
  const unmountable = mountSmallDisk(folder.outside);
  if (unmountable !== '') context.skip(unmountable);
  await using resources = new AsyncDisposableStack();
  resources.defer(() => {
    execFileSync('umount', ['-l', folder.outside]);
  });
  await runStatements(server.url, `CREATE TABLESPACE small LOCATION '${folder.path}'`);
  const { url } = resources.use(await serverDatabase(server.url, 'TABLESPACE small'));
  const store = await open(url, resources);
  const writes = new Writes();
  /** Writes long texts, which do not become shorter when they are compressed, until one is refused. */
  const fill = async (prefix: string): Promise<void> => {
    const { length } = writes.failed;
    for (let n = 0; writes.failed.length === length; n++) {
      const key = `${prefix} ${String(n)}`;
      await writes.count(key, () => {
        const text = `common ${randomBytes(10_000).toString('base64')}`;
        const write = note(text, { key, source: 'faults', origin: 'source' });
        return store.records.commit(NAMESPACE, { writes: [write], chunking: CHUNKING });
      });
    }
  };
  const ballast = join(folder.outside, 'ballast');
  await writes.commit(store, 'common first');
  fillUp(ballast);
  await fill('while the disk is full');
  expect(writes.errors.at(-1)).toMatchObject({ code: 'store_full' });
  await writes.expectKept(store);
  expect(await matchingRecords(store, NAMESPACE, 'common')).toHaveLength(writes.answered.length);

  rmSync(ballast);
  await writes.commit(store, 'common after the disk had space again');
  expect(writes.errors).toHaveLength(1);
  fillUp(ballast);
  await fill('while the disk is full again');
  await writes.expectKept(store);
  rmSync(ballast);
  expect(await matchingRecords(store, NAMESPACE, 'common')).toHaveLength(writes.answered.length);
  expect(await keysOf(store)).toHaveLength(writes.answered.length);
});
