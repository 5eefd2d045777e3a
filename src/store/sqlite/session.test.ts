import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/contract/engines.ts';
import { note, write } from '../../../test/contract/store-samples.ts';
import type { Store } from '../store.ts';
import { openSqliteStore } from './open.ts';
import { Session } from './session.ts';

async function storeWithNote(folder: string): Promise<{ path: string; open: () => Promise<Store> }> {
  const path = join(folder, 'loci.db');
  const open = (): Promise<Store> =>
    openSqliteStore({ path, busyTimeoutMs: 1000, create: true, inline: true });
  const store = await open();
  await write(store, 'n', note('one'));
  await store.close();
  return { path, open };
}

function readerOf(path: string): { reader: Session; contents: () => Promise<string[]> } {
  const { ino } = statSync(path);
  const access = 'immutable';
  const reader = new Session({ path, busyTimeoutMs: 1000, inode: ino, cacheKib: 1000, access });
  const parameters = ['n', { scan: 'undeleted' }, { after: null, limit: 10 }];
  const contents = async (): Promise<string[]> =>
    ((await reader.run('records.list', parameters)) as { content: string }[]).map(({ content }) => content);
  return { reader, contents };
}

it.each(['while a process has it open', 'after the process has closed it'])(
  'a store that is read without locks shows the changes of another process: %s',
  async (when) => {
    await using folder = await temporaryFolder();
    const { path, open } = await storeWithNote(folder.path);
    const { reader, contents } = readerOf(path);
    expect(await contents()).toEqual(['one']);
    const writer = await open();
    onTestFinished(() => writer.close());
    await write(writer, 'n', note('two'));
    if (when.startsWith('after')) await writer.close();
    expect(await contents()).toEqual(['one', 'two']);
    expect(await contents()).toEqual(['one', 'two']);
    await reader.close();
  },
);

it('a file that changes while it is read without locks is busy, not damaged, and read again', async () => {
  await using folder = await temporaryFolder();
  const { path } = await storeWithNote(folder.path);
  const { reader, contents } = readerOf(path);
  const touch = {
    get after() {
      utimesSync(path, new Date(), new Date(0));
      return null;
    },
    limit: 10,
  };
  await expect(reader.run('records.list', ['n', { scan: 'undeleted' }, touch])).rejects.toThrow(
    expect.objectContaining({ code: 'store_busy', message: expect.stringContaining('another process') }),
  );
  expect(await contents()).toEqual(['one']);
  writeFileSync(path, 'x'.repeat(5000));
  await expect(contents()).rejects.toThrow(expect.objectContaining({ code: 'store_corrupt' }));
  await reader.close();
});
