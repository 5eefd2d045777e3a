import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { LociError } from '../../src/core/errors.ts';
import {
  addVectors,
  embed,
  matchingRecords,
  note,
  unit,
  verifyStore,
  write,
} from '../contract/store-samples.ts';
import { nodeBoundByModes, NOT_BOUND_BY_MODES } from '../bound-by-modes.ts';
import { openSqlite, scratchFolder } from './store-processes.ts';

const NAMESPACE = 'n';
const PAGE = 4096;

/** Creates a store without faults and closes it. Returns the bytes of its file. */
async function soundStore(path: string): Promise<Buffer> {
  const store = await openSqlite(path);
  await write(
    store,
    NAMESPACE,
    ...Array.from({ length: 150 }, (_, i) => note(`word${String(i)} ${'common text '.repeat(60)}`)),
  );
  const id = await addVectors(store);
  await embed(store, id, NAMESPACE, (text) => unit(1, text.length, 2));
  await store.close();
  return readFileSync(path);
}

/** Opens, uses and verifies the store. Returns the faults and the error codes. */
async function examine(path: string): Promise<string[]> {
  const faults: string[] = [];
  const recordError = (error: unknown): void => {
    faults.push(error instanceof LociError ? error.code : String(error));
  };
  const store = await openSqlite(path).catch(recordError);
  if (store === undefined) return faults;
  await matchingRecords(store, NAMESPACE, 'common').catch(recordError);
  await store.admin.namespaces(ADMIN_NAMESPACE).catch(recordError);
  await store.vectors.pending(NAMESPACE, 1, { totals: true }).catch(recordError);
  await store.admin.compact(NAMESPACE).catch(recordError);
  for (const finding of (await verifyStore(store).catch(recordError)) ?? []) faults.push(finding);
  await store.close();
  return faults;
}

describe('a file that is not a store', () => {
  let sound: Buffer;
  beforeAll(async () => {
    using folder = scratchFolder();
    sound = await soundStore(join(folder.path, 'store.db'));
  });

  function foreign(pragmas: string): Buffer {
    using folder = scratchFolder();
    const path = join(folder.path, 'other.db');
    const db = new DatabaseSync(path);
    db.exec(`${pragmas}; CREATE TABLE theirs (a TEXT); INSERT INTO theirs VALUES ('precious')`);
    db.close();
    return readFileSync(path);
  }

  it.each<[string, () => Buffer]>([
    ['text', () => Buffer.from('# Notes\n'.repeat(300))],
    ['random bytes', () => Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 251))],
    ['a few bytes', () => Buffer.from('SQLite')],
    ['a database of another program', () => foreign('PRAGMA journal_mode = DELETE')],
    ['a database of another program in WAL mode', () => foreign('PRAGMA journal_mode = WAL')],
    ['a database with another application id', () => foreign('PRAGMA application_id = 1')],
    ['a store without its first page', () => sound.subarray(PAGE)],
  ])('is rejected and not changed: %s', async (_, bytes) => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    writeFileSync(path, bytes());
    for (const create of [true, false]) {
      await expect(openSqlite(path, { create })).rejects.toMatchObject({ code: 'store_corrupt' });
    }
    expect(readFileSync(path).equals(bytes())).toBe(true);
    expect(readdirSync(folder.path)).toEqual(['store.db']);
  });

  it.each([0.3, 0.6, 0.95])('a store cut to %d of its length is detected and not changed', async (share) => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const cut = sound.subarray(0, Math.floor((sound.length * share) / PAGE) * PAGE);
    writeFileSync(path, cut);
    const faults = await examine(path);
    expect(faults).not.toEqual([]);
    expect(faults.filter((fault) => /internal|store_failed|TypeError|RangeError/.test(fault))).toEqual([]);
    expect(readFileSync(path).equals(cut)).toBe(true);
  });

  it('a flipped byte in the header of a page is detected', async () => {
    using folder = scratchFolder();
    const pages = sound.length / PAGE;
    for (let page = 1; page < pages; page += Math.ceil(pages / 8)) {
      const path = join(folder.path, `${String(page)}.db`);
      const flipped = Buffer.from(sound);
      flipped[page * PAGE]! ^= 0xff;
      writeFileSync(path, flipped);
      const faults = await examine(path);
      expect([page, faults]).not.toEqual([page, []]);
      expect(faults.filter((fault) => /internal|store_failed|TypeError|RangeError/.test(fault))).toEqual([]);
    }
  });

  it('a missing file is an error, unless a store may be created', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'below', 'store.db');
    await expect(openSqlite(path, { create: false })).rejects.toMatchObject({ code: 'store_not_found' });
    expect(readdirSync(folder.path)).toEqual([]);
    const store = await openSqlite(path);
    await store.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it('an empty file is not a store', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    writeFileSync(path, '');
    for (const create of [false, true])
      await expect(openSqlite(path, { create })).rejects.toMatchObject({
        code: 'store_corrupt',
        message: `${path} is an empty file, and no store; it was left unchanged`,
      });
    expect(readdirSync(folder.path)).toEqual(['store.db']);
    expect(statSync(path).size).toBe(0);
  });

  it('a folder instead of the file, or a file instead of its folder, is unreadable', async () => {
    using folder = scratchFolder();
    mkdirSync(join(folder.path, 'folder.db'));
    writeFileSync(join(folder.path, 'file'), 'x');
    for (const path of ['folder.db', 'file/store.db']) {
      await expect(openSqlite(join(folder.path, path))).rejects.toMatchObject({ code: 'unreadable' });
    }
    expect(readdirSync(join(folder.path, 'folder.db'))).toEqual([]);
  });

  it.for<[string, number, number, string]>([
    ['a store that may not be read is unreadable', 0o000, 0o755, 'unreadable'],
    ['a store that may not be written can be read', 0o444, 0o555, '{"n":150}unreadable'],
    ['a store in a folder that may not be written can be read', 0o644, 0o555, '{"n":150}unreadable'],
  ])('%s, and is not changed', ([, mode, folderMode, printed], { skip }) => {
    const registry = new URL('../../src/store/registry.ts', import.meta.url);
    const { program, leadingArgs } = nodeBoundByModes() ?? skip(NOT_BOUND_BY_MODES);
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    writeFileSync(path, sound);
    chmodSync(path, mode);
    chmodSync(folder.path, folderMode);
    const code = `const { openStore } = await import(${JSON.stringify(registry.href)});
      const settings = { path: ${JSON.stringify(path)} };
      const log = (text) => process.stdout.write(text);
      try {
        const store = await openStore(settings, { create: true });
        const n = await store.records.count('n', { now: 1 });
        log(JSON.stringify({ n }));
        await store.records.commit('n', { evictions: [1] });
      } catch (error) {
        log(error.code);
      }`;
    const args = [...leadingArgs, '--input-type=module', '--eval', code];
    const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    chmodSync(folder.path, 0o755);
    expect({ stdout, stderr }).toEqual({ stdout: printed, stderr: '' });
    chmodSync(path, 0o600);
    expect(readFileSync(path).equals(sound)).toBe(true);
  });
});

describe('quantised codes that do not match their vectors', () => {
  it('are detected, and rebuilt with all derived data', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const store = await openSqlite(path);
    await write(store, NAMESPACE, ...Array.from({ length: 600 }, (_, i) => note(`word${String(i)}`)));
    const id = await addVectors(store);
    await embed(store, id, NAMESPACE, (text) => unit(1, text.length, 2));
    expect(await verifyStore(store)).toEqual([]);
    using db = new DatabaseSync(path);
    const { changes } = db.prepare('UPDATE code_chunk SET codes = zeroblob(length(codes))').run();
    expect(changes).toBe(1);
    expect(await verifyStore(store)).toContainEqual(expect.stringContaining('does not match the vector'));
    await store.admin.resetDerived(NAMESPACE, { text: true, vectors: false });
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });
});

it('a reindex makes the table of sentences again', async () => {
  using folder = scratchFolder();
  const path = join(folder.path, 'store.db');
  const first = await openSqlite(path);
  const generation = await addVectors(first);
  await write(first, NAMESPACE, note('one'));
  await embed(first, generation, NAMESPACE, () => unit(1, 0, 0));
  await first.close();
  {
    using db = new DatabaseSync(path);
    db.exec('DROP TABLE sentence_vector');
  }
  const store = await openSqlite(path);
  await store.admin.resetDerived(NAMESPACE, { text: false, vectors: false });
  await write(store, NAMESPACE, note('two'));
  const { passages } = await store.vectors.pending(NAMESPACE, generation, { limit: 1 });
  const { hash } = passages[0]!;
  const sentences = new Map([[hash, [unit(0, 1, 0)]]]);
  await store.vectors.put(NAMESPACE, generation, [{ hash, vector: unit(1, 0, 0) }], sentences);
  expect(await store.vectors.sentences(NAMESPACE, generation, [hash])).toEqual(sentences);
  expect(await verifyStore(store)).toEqual([]);
  await store.close();
});
