import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder, writeNotes } from '../../test/contract/engines.ts';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { draft } from '../../test/contract/store-samples.ts';
import { type TaskRunner, TaskThread } from '../core/threads/task-thread.ts';
import { openEmbedder } from '../embed/registry.ts';
import { openSource } from '../sources/registry.ts';
import type { Source } from '../sources/source.ts';
import { offsetsOfPassages, passagesAtOffsets, threadedChunking } from './cut-record.ts';
import { estimateModelTokens, makePassages } from './passages.ts';
import { type SyncReport, syncSource } from './sync.ts';

describe('packed passages', () => {
  it('are the same passages after unpacking, for any text', () => {
    const line = fc.oneof(
      fc.constantFrom('', '# One', '## Two', '# One', 'same', 'same words again', '- item', '```', '%% x %%'),
      fc.string({ unit: 'binary', maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const content = lines.join('\n');
        const record = draft({ origin: 'source', title: 'Note', tags: ['Kitchen'], content });
        const passages = makePassages(record, { maxTokens: 8, countTokens: estimateModelTokens });
        const packed = structuredClone(offsetsOfPassages(record.content, passages));
        expect(passagesAtOffsets(record.content, packed)).toEqual(passages);
      }),
    );
  });
});

const LONG = `# Log\n\n${'A long line, and **another**. 数据库 end.\n\n## Part\n\n'.repeat(1000)}`;
/** List items of one letter give the most Markdown blocks for the size of a text. */
const DENSE = '- a\n'.repeat(700_000);

let whole: TaskThread;
let thread: TaskRunner;

beforeEach(() => {
  whole = new TaskThread();
  thread = whole.ownedBy('a');
});

afterEach(async () => whole.close());

describe('a threaded chunking', () => {
  it.each(['none', 'local'])('returns the same passages as inline, provider %s', async (provider) => {
    const embedder = await openEmbedder({ provider });
    const chunking = threadedChunking(thread, embedder, 60);
    for (const content of ['', 'short', LONG]) {
      const record = draft({
        origin: 'source',
        title: 'Log',
        tags: ['Kitchen'],
        metadata: { speaker: 'Ada' },
        content,
      });
      expect(await chunking.cut(record)).toEqual(makePassages(record, chunking));
    }
    await embedder?.close();
  });

  // Almost as dense as `assertParseable` accepts.
  it.each([
    ['items', '- a\n'.repeat(370_000)],
    ['nested lists', `${'- '.repeat(45)}a\n\n`.repeat(8200)],
    ['nested quotes', `${'>'.repeat(45)}a\n\n`.repeat(8200)],
    ['cells of a table', `${'|a'.repeat(30)}|\n`.repeat(28_000)],
  ])('has enough memory for a text of the most %s', { timeout: 30_000 }, async (_, content) => {
    const passages = await threadedChunking(thread, null, 200).cut(draft({ content }));
    expect(passages.length).toBeGreaterThan(100);
  });

  it('stops when the signal fires', async () => {
    const chunking = threadedChunking(thread, null, 60);
    const stop = new AbortController();
    const cutting = chunking.cut(draft({ content: LONG }), stop.signal);
    stop.abort();
    await expect(cutting).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('a source with a document that is too complex', () => {
  it.each<[string, (root: string) => Promise<Source>]>([
    ['parsed', (root) => openSource('vault', { name: 'notes', root, thread })],
    ['split', async (root) => unparsedVault(root)],
  ])('reports it if it cannot be %s, keeps its last version, and adds the others', async (_, open) => {
    await using folder = await temporaryFolder();
    const store = openSqliteInMemory();
    const sync = async (): Promise<SyncReport> =>
      syncSource(store, await open(folder.path), {
        namespace: 'n',
        project: 'home',
        chunking: threadedChunking(thread, null, 60),
        now: () => 0,
        allowEmpty: false,
      });
    await writeNotes(folder.path, { 'a.md': 'about the oven', 'b.md': 'blue tiles' });
    await sync();
    await writeNotes(folder.path, { 'a.md': DENSE, 'c.md': 'new', 'd.md': LONG });
    const detail = expect.stringContaining('too many') as string;
    expect(await sync()).toMatchObject({
      problems: [{ key: 'a.md', reason: 'unreadable', detail, skipped: true }],
      added: 2,
      removed: 0,
    });
    expect(
      (
        await store.records.list(
          'n',
          { filter: { now: 0, origins: ['vault'], key: 'a.md' } },
          { after: null, limit: 100 },
        )
      )[0]?.content,
    ).toBe('about the oven');
    expect(
      (
        await store.records.list(
          'n',
          { filter: { now: 0, origins: ['vault'], key: 'd.md' } },
          { after: null, limit: 100 },
        )
      )[0]?.content,
    ).toBe(LONG);
  });
});

/** A source that returns the files of a vault without parsing them, as sources other than vaults do. */
async function unparsedVault(root: string): Promise<Source> {
  const vault = await openSource('vault', { name: 'notes', root });
  return {
    name: vault.name,
    origin: vault.origin,
    trust: vault.trust,
    list: (...parameters) => vault.list(...parameters),
    read: async ({ key, revision }) => ({
      key,
      revision,
      identity: null,
      project: null,
      category: null,
      recordType: null,
      title: key,
      tags: [],
      content: await readFile(join(root, key), 'utf8'),
      metadata: {},
      createdAt: null,
      updatedAt: null,
    }),
  };
}
