import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { matchingRecords, note, write } from '../contract/store-samples.ts';
import { openSqlite, scratchFolder } from './store-processes.ts';

const NAMESPACE = 'n';

/** The locks that this process has on a file, according to the kernel. */
function locksOn(path: string): string[] {
  const { ino } = statSync(path);
  const lines = readFileSync('/proc/locks', 'utf8').split('\n');
  return lines.filter(
    (line) => line.includes(` ${String(process.pid)} `) && line.includes(`:${String(ino)} `),
  );
}

describe('the file of an open store', () => {
  it.runIf(existsSync('/proc/locks'))('keeps its locks when the process opens it again', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const first = await openSqlite(path);
    await write(first, NAMESPACE, note('kept'));
    expect(locksOn(path)).not.toEqual([]);
    const second = await openSqlite(path);
    expect(await matchingRecords(second, NAMESPACE, 'kept')).toEqual([1]);
    expect(locksOn(path)).not.toEqual([]);
    await second.close();
    expect(locksOn(path)).not.toEqual([]);
    await first.close();
  });

  it('is not created again after it was deleted', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    await (await openSqlite(path)).close();
    const store = await openSqlite(path);
    renameSync(path, `${path}.old`);
    await expect(write(store, NAMESPACE, note('lost'))).rejects.toMatchObject({ code: 'store_not_found' });
    await store.close();
    expect(readdirSync(folder.path)).not.toContain('store.db');
  });

  it('is not confused with a file that replaced it', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    await (await openSqlite(path)).close();
    copyFileSync(path, `${path}.backup`);
    const store = await openSqlite(path);
    renameSync(`${path}.backup`, path);
    await expect(write(store, NAMESPACE, note('astray'))).rejects.toMatchObject({ code: 'store_failed' });
    await store.close();
    const reopened = await openSqlite(path);
    expect(await matchingRecords(reopened, NAMESPACE, 'astray')).toEqual([]);
    await reopened.close();
  });

  it.runIf(process.platform === 'linux')('must not be a pipe', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    execFileSync('mkfifo', [path]);
    await expect(openSqlite(path)).rejects.toMatchObject({ code: 'unreadable' });
  });
});
