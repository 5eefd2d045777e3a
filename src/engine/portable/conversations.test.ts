import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { chatGpt, chatGptTree, claude } from '../../../test/contract/conversation-exports.ts';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import { asAgent, exportLines, SECRET } from '../../../test/contract/export-samples.ts';
import { approveSource } from '../../../test/contract/tasks-source.ts';
import { zipOf } from '../../../test/contract/zip-archive.ts';
import { utcDayOf } from '../../core/time/whole-day.ts';
import type { LociRecord } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';
import { forgetSource } from '../reading/forget-source.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { listSources, refreshSources } from '../reading/sources.ts';
import { get } from '../records/get.ts';
import { listRecords } from '../records/list.ts';
import { search, searchOutcome } from '../records/search.ts';
import { write } from '../records/write.ts';
import { importMemory } from './import.ts';
import type { ImportOutput } from './import-report.ts';

const folder = folderForEach();
let loci: EngineContext;

beforeEach(async () => {
  loci = await openInline(settings(folder.path));
});

async function records(): Promise<LociRecord[]> {
  const found = await loci.store.records.list(
    'default',
    { filter: { now: loci.now() } },
    { after: null, limit: 100 },
  );
  return found.toSorted((a, b) => a.id - b.id);
}

async function importFile(
  name: string,
  content: string | Buffer | object,
  options = {},
): Promise<ImportOutput> {
  const path = join(folder.path, name);
  await writeFile(
    path,
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  );
  return importMemory(loci, { path, ...options });
}

const DAY = 86_400;
const START = Date.parse('2024-05-05T12:00:00Z') / 1000;

describe('imported conversations', () => {
  it('have a record for each day, with the turns, the link and the time of the first', async () => {
    const long = { ...chatGpt('c', ['one', 'two', 'three'], 'Porto', START) };
    const mapping = structuredClone(long['mapping']) as Record<string, { message: { create_time: number } }>;
    mapping['m2']!.message.create_time = START + DAY;
    const { records: counts, conversations } = await importFile('a.json', [{ ...long, mapping }]);
    expect([counts.added, conversations]).toEqual([
      2,
      [{ source: 'chatgpt', conversations: 1, messages: 3, days: 2, empty: 0 }],
    ]);
    const [first, second] = await records();
    expect(first).toMatchObject({
      ...{
        origin: 'source',
        source: 'chatgpt',
        trust: 'external',
        recordType: 'conversation',
        title: 'Porto',
      },
      key: `c/${new Date(utcDayOf(START * 1000)).toISOString().slice(0, 10)}`,
      content: '# User\n\none\n\n# Assistant\n\ntwo',
      metadata: { session: 'conversation:c', url: 'https://chatgpt.com/c/c' },
      createdAt: START * 1000,
    });
    expect(second).toMatchObject({ content: '# User\n\nthree', createdAt: (START + DAY) * 1000 });
  });

  it('are the same after the same import, and grow with a newer one', async () => {
    await importFile('a.json', [chatGpt('c', ['one'])]);
    const [before] = await records();
    expect((await importFile('a.json', [chatGpt('c', ['one'])])).records).toMatchObject({
      added: 0,
      updated: 0,
      unchanged: 1,
    });
    expect(await records()).toEqual([before]);
    expect((await importFile('a.json', [chatGpt('c', ['one', 'two'])])).records).toMatchObject({
      added: 0,
      updated: 1,
    });
    const [after] = await records();
    expect(after).toMatchObject({
      id: before!.id,
      uuid: before!.uuid,
      content: '# User\n\none\n\n# Assistant\n\ntwo',
    });
  });

  it('lose nothing that a newer export lacks, and nothing to an older one', async () => {
    const whole = chatGpt('c', ['one', 'two', 'three'], 'New');
    const { m0: _, ...mapping } = whole['mapping'] as Record<string, object>;
    await importFile('a.json', [whole, chatGpt('d', ['other'])]);
    const before = await records();
    for (const conversation of [{ ...whole, mapping }, chatGpt('c', ['one', 'old two'], 'Old')])
      await importFile('b.json', [conversation]);
    expect((await records()).map(({ content, title }) => ({ content, title }))).toEqual(
      before.map(({ content, title }) => ({ content, title })),
    );
  });

  it('do not get back what a newer export has edited away', async () => {
    const nodes = { a: ['root', 'user', 'question', 1], b: ['a', 'assistant', 'old answer', 2] } as const;
    const at = (update_time: number, tree: object) => ({ ...tree, update_time });
    await importFile('a.json', [
      at(20, chatGptTree({ ...nodes, c: ['a', 'assistant', 'new answer', 3] }, 'c')),
    ]);
    const before = await records();
    const { records: counts } = await importFile('b.json', [at(10, chatGptTree(nodes, 'b'))]);
    expect([counts.added, counts.updated, await records()]).toEqual([0, 0, before]);
  });

  it('have what was edited in place of what it was', async () => {
    const nodes = { a: ['root', 'user', 'old question', 1], b: ['a', 'assistant', 'old answer', 2] } as const;
    await importFile('a.json', [chatGptTree(nodes, 'b')]);
    await importFile('a.json', [chatGptTree({ ...nodes, c: ['root', 'user', 'new question', 3] }, 'c')]);
    expect((await records()).map(({ content }) => content)).toEqual(['# User\n\nnew question']);
  });

  it('keep a message within its turn, whatever Markdown it has', async () => {
    await importFile('a.json', [chatGpt('c', ['# User\n%% hidden\n```\n# a comment', 'answer %%'])]);
    const [{ content } = { content: '' }] = await records();
    expect(content).toBe('# User\n\n## User\n\\%% hidden\n```\n# a comment\n```\n\n# Assistant\n\nanswer %%');
    const { results } = await search(loci, { query: 'answer' });
    expect(results).toMatchObject([{ headings: ['Assistant'] }]);
    // The parts of a text that was stored before are recognised.
    await importFile('a.json', [chatGpt('c', ['# User\n%% hidden\n```\n# a comment', 'answer %%', 'more'])]);
    expect((await records())[0]!.content).toBe(`${content}\n\n# User\n\nmore`);
  });

  it('have several records for a day with much text', async () => {
    const texts = Array.from({ length: 5 }, (_, i) => `${String(i)} ${'word '.repeat(39_000)}`);
    await importFile('a.json', [chatGpt('c', texts)]);
    const keys = (await records()).map(({ key }) => key!.slice(12));
    expect(keys).toEqual(['', '~2', '~3']);
    expect((await importFile('a.json', [chatGpt('c', [...texts, 'end'])])).records).toMatchObject({
      unchanged: 2,
      updated: 1,
    });
  });

  it('have masked secrets, or are refused with the settings', async () => {
    const { masked } = await importFile('a.json', [
      chatGpt('c', [`my token is ${SECRET}`, 'ok'], `About ${SECRET}`),
    ]);
    expect(masked).toEqual(['GitHub token']);
    expect(JSON.stringify(await records())).not.toContain(SECRET);
    await loci.close();
    loci = await openInline(settings(folder.path, { writes: { secrets: 'refuse' } }));
    const { problems, records: counts } = await importFile('a.json', [
      chatGpt('d', [SECRET]),
      chatGpt('e', ['fine']),
    ]);
    expect(counts.added).toBe(1);
    expect(problems).toMatchObject([{ location: 'd' }]);
  });

  it('are counted by a dry run, which changes nothing', async () => {
    const given = [chatGpt('c', ['one']), chatGpt('empty', ['']), claude('d', ['two', 'three'])];
    const { conversations, records: counts } = await importFile('a.json', given, { dry_run: true });
    expect(conversations).toEqual([
      { source: 'chatgpt', conversations: 1, messages: 1, days: 1, empty: 1 },
      { source: 'claude', conversations: 1, messages: 2, days: 1, empty: 0 },
    ]);
    expect([counts.added, await records()]).toEqual([2, []]);
  });

  it('are complete records after a stop, and the next import continues', async () => {
    const given = Array.from({ length: 300 }, (_, i) => chatGpt(`c${String(i)}`, ['one', 'two']));
    const path = join(folder.path, 'a.json');
    await writeFile(path, JSON.stringify(given));
    const stop = new AbortController();
    const onProgress = ({ done }: { done: number }): void => (done === 200 ? stop.abort() : undefined);
    await expect(importMemory(loci, { path }, { signal: stop.signal, onProgress })).rejects.toMatchObject({
      code: 'aborted',
    });
    const stopped = (await loci.store.records.count('default', { now: loci.now() })) as number;
    expect(stopped).toBeGreaterThan(0);
    expect(stopped).toBeLessThan(300);
    expect((await importMemory(loci, { path })).records).toMatchObject({
      added: 300 - stopped,
      unchanged: stopped,
    });
  });

  it('are only for the operator, unless the settings include them in contexts', async () => {
    const { private: hidden } = await importFile('a.json', [chatGpt('c', ['the quetzal is green'])]);
    expect(hidden).toEqual(['chatgpt']);
    const foundBy = async (caller: EngineContext): Promise<boolean[]> => {
      const byName = await search(caller, { query: 'quetzal', sources: ['chatgpt'] });
      const inContext = await searchOutcome(caller, { query: 'quetzal', audience: 'context' });
      const byId = await get(caller, { citation: 'record/1' }).then(
        () => true,
        () => false,
      );
      const { records: listed } = await listRecords(caller, {});
      return [byName.results.length > 0, inContext.hits.length > 0, byId, listed.length > 0];
    };
    expect(await foundBy(loci)).toEqual([true, false, true, true]);
    expect(await foundBy(asAgent(loci))).toEqual([false, false, false, false]);
    // So are those that come with an export of Loci.
    const target = await openInline(settings(join(folder.path, 'target')));
    await importMemory(target, { lines: await exportLines(loci) });
    expect(await foundBy(asAgent(target))).toEqual([false, false, false, false]);
    await target.close();
    await loci.close();
    // Another source of the name opens nothing.
    loci = await openInline(settings(folder.path, { sources: [{ id: 'chatgpt', command: 'echo []' }] }));
    expect(await foundBy(asAgent(loci))).toEqual([false, false, false, false]);
    await loci.close();
    loci = await openInline(settings(folder.path, { vaults: [{ path: join(folder.path, 'chatgpt') }] }));
    expect(await foundBy(asAgent(loci))).toEqual([false, false, false, false]);
    await loci.close();
    const sources = [{ id: 'chatgpt', kind: 'conversations', includeInContext: true }];
    loci = await openInline(settings(folder.path, { sources }));
    expect(await foundBy(asAgent(loci))).toEqual([true, true, true, true]);
    await expect(importMemory(asAgent(loci), { path: folder.path })).rejects.toThrow('agents may not write');
  });

  it('are private from the first one that another process imports', async () => {
    const agent = asAgent(loci);
    await importFile('a.json', [claude('d', ['the quetzal is green', 'yes'])]);
    const byName = (source: string) => search(agent, { query: 'quetzal', sources: [source] });
    expect((await byName('claude')).results).toEqual([]);
    const other = await openInline(settings(folder.path));
    const path = join(folder.path, 'b.json');
    await writeFile(path, JSON.stringify([chatGpt('c', ['the quetzal is blue'])]));
    await importMemory(other, { path });
    await other.close();
    expect((await byName('chatgpt')).results).toEqual([]);
    expect((await search(agent, { query: 'quetzal' })).results).toEqual([]);
    expect((await search(loci, { query: 'quetzal' })).results).toHaveLength(2);
  });

  it('show no word of theirs as the correction of another one', async () => {
    await importFile('a.json', [chatGpt('c', ['the quokka is small'])]);
    await write(loci, { content: 'A wombat digs.' });
    const corrected = async (caller: EngineContext, query: string) =>
      (await search(caller, { query })).corrections.flatMap(({ instead }) => instead);
    expect(await corrected(loci, 'quoka')).toEqual(['quokka']);
    expect(await corrected(asAgent(loci), 'quoka')).toEqual([]);
    expect(await corrected(asAgent(loci), 'wommbat')).toEqual(['wombat']);
  });

  it('are not replaced by a vault or a command of their name', async () => {
    await importFile('a.json', [chatGpt('c', ['the quetzal is green'])]);
    await loci.close();
    const vault = join(folder.path, 'chatgpt');
    await mkdir(vault);
    await writeFile(join(vault, 'note.md'), 'A note.');
    for (const others of [
      { vaults: [{ path: vault }] },
      { sources: [{ id: 'chatgpt', command: 'echo []' }] },
    ]) {
      loci = await openInline(settings(folder.path, others));
      const reading =
        'vaults' in others
          ? indexVaults(loci)
          : approveSource(loci, 'chatgpt').then(() =>
              refreshSources(loci, { ids: ['chatgpt'] }, { isOwner: true }),
            );
      const outcome = await reading.then(
        (done) => JSON.stringify(done),
        (error: unknown) => String(error),
      );
      expect(outcome).toContain('chatgpt is the name of imported conversations');
      expect((await records()).map(({ title }) => title)).toEqual(['A title']);
      await loci.close();
    }
    loci = await openInline(settings(folder.path));
  });

  it('need the name of their program', async () => {
    await loci.close();
    loci = await openInline(settings(folder.path, { sources: [{ id: 'claude', command: 'cat x.json' }] }));
    await expect(importFile('a.json', [claude('d', ['two'])])).rejects.toThrow(
      'another source or vault is called claude',
    );
  });

  it('are not in files of something else', async () => {
    await expect(importFile('a.json', { notes: [] })).rejects.toThrow(
      'is neither an export of Loci nor has it conversations',
    );
  });
});

describe('an archive', () => {
  const json = (...values: object[]): string => JSON.stringify(values);

  it('has conversations in one file or in shards, among other files, and in an archive within it', async () => {
    const inner = zipOf({ 'x/conversations.json': json(claude('d', ['inner'])) });
    const archive = zipOf({
      'conversations-000.json': json(chatGpt('a', ['one'])),
      'conversations-001.json': json(chatGpt('b', ['two'])),
      ...{ 'user.json': '{"id":"u"}', 'message_feedback.json': '[{"id":"f"}]', 'file-1.webp': 'RIFF' },
      ...{ 'stored.zip': inner, '../../evil.json': json(chatGpt('e', ['evil'])) },
    });
    const { conversations, problems } = await importFile('export.zip', archive);
    expect(conversations).toMatchObject([
      { source: 'chatgpt', conversations: 3 },
      { source: 'claude', conversations: 1 },
    ]);
    expect(problems).toEqual([]);
    const [again] = (await importFile('export.bin', zipOf({ 'deflated.zip': inner }, { deflateAll: true })))
      .conversations;
    expect(again).toMatchObject({ source: 'claude', conversations: 1 });
  });

  it('that other programs made is read', async () => {
    await writeFile(join(folder.path, 'conversations.json'), json(chatGpt('a', ['one'])));
    execFileSync('python3', ['-m', 'zipfile', '-c', 'export.zip', 'conversations.json'], {
      cwd: folder.path,
    });
    const { conversations } = await importMemory(loci, { path: join(folder.path, 'export.zip') });
    expect(conversations).toMatchObject([{ conversations: 1 }]);
  });

  it.each<[string, Parameters<typeof zipOf>[1], string]>([
    ['is encrypted', { encrypted: 'bad.json' }, 'it is encrypted'],
    ['has a wrong checksum', { wrongCrc: 'bad.json' }, 'its checksum differs'],
    ['is longer than it says', { size: { 'bad.json': 10 } }, 'it is longer than the archive says'],
    ['is compressed in another way', { method: { 'bad.json': 14 } }, 'compressed with method 14'],
  ])('names a file that %s, and has the others', async (_, options, message) => {
    const archive = zipOf(
      { 'bad.json': json(chatGpt('a', ['one'])), 'good.json': json(chatGpt('b', ['two'])) },
      options,
    );
    const { conversations, problems } = await importFile('export.zip', archive);
    expect(conversations[0]!.conversations).toBeGreaterThanOrEqual(1);
    expect(problems).toMatchObject([{ location: 'export.zip/bad.json' }]);
    expect(problems[0]!.message).toContain(message);
  });

  it('that grows without bounds, was cut, or has an archive too deep within it is refused', async () => {
    const bomb = zipOf({
      'a.json': Buffer.alloc(150 * 1024 * 1024, 32),
      'b.json': json(chatGpt('b', ['two'])),
    });
    expect((await importFile('export.zip', bomb)).problems).toMatchObject([
      { message: 'it grows to more than 200 times its compressed size' },
    ]);
    await expect(importFile('cut.zip', bomb.subarray(0, 5000))).rejects.toThrow('its directory is missing');
    const deep = zipOf({ 'a.zip': zipOf({ 'b.zip': zipOf({ 'c.json': json(chatGpt('b', ['two'])) }) }) });
    await expect(importFile('deep.zip', deep)).rejects.toThrow(
      'an archive within one in an archive is not read',
    );
  });
});

describe('a watched folder', () => {
  const line = (uuid: string, content: string): string =>
    `${JSON.stringify({ type: 'user', uuid, sessionId: 's', timestamp: '2026-09-08T15:00:00Z', message: { role: 'user', content } })}\n`;

  async function watch(): Promise<string> {
    const path = join(folder.path, 'projects');
    await mkdir(join(path, '-w-quetzal'), { recursive: true });
    await loci.close();
    loci = await openInline(
      settings(folder.path, { sources: [{ id: 'code', kind: 'conversations', path }] }),
    );
    return path;
  }

  it('is read without an approval, a transcript that has grown again, and what is gone stays', async () => {
    const path = await watch();
    const file = join(path, '-w-quetzal/s.jsonl');
    await writeFile(file, line('1', 'rename the quetzal'));
    await writeFile(join(path, 'other.jsonl'), `${line('1', 'x').replace('"s"', '"t"')}broken\n`);
    const refreshed = async (): Promise<object> =>
      (await refreshSources(loci, {}, { isOwner: true })).sources[0]!;
    const problems = ['other.jsonl, line 2: the line is damaged'];
    expect(await refreshed()).toMatchObject({ id: 'code', added: 2, problems });
    expect(await refreshed()).toMatchObject({ added: 0, updated: 0, unchanged: 0, problems });
    await appendFile(file, line('2', 'and the hoopoe'));
    expect(await refreshed()).toMatchObject({ added: 0, updated: 1, unchanged: 0 });
    const { results } = await search(loci, { query: 'hoopoe' });
    expect(results).toMatchObject([{ source: 'code' }]);
    expect((await search(asAgent(loci), { query: 'hoopoe' })).results).toEqual([]);
    expect((await listSources(loci, { isOwner: true })).sources).toMatchObject([
      { id: 'code', kind: 'conversations', condition: 'fresh', folder: path, documents: 2 },
    ]);
    // Without its settings, its conversations are still private.
    const settingsBefore = loci;
    loci = await openInline(settings(folder.path));
    expect((await search(asAgent(loci), { query: 'hoopoe', sources: ['code'] })).results).toEqual([]);
    expect((await search(loci, { query: 'hoopoe' })).results).toHaveLength(1);
    await loci.close();
    loci = settingsBefore;
    await forgetSource(loci, 'code');
    expect(await refreshed()).toMatchObject({ added: 2 });
  });

  it('may have compressed transcripts', async () => {
    const path = await watch();
    await writeFile(join(path, 'a.jsonl.zst'), zstdCompressSync(line('1', 'rename the quetzal')));
    await writeFile(join(path, 'b.jsonl.zst'), zstdCompressSync(line('1', 'x')).subarray(0, 20));
    const [refreshed] = (await refreshSources(loci, {}, { isOwner: true })).sources;
    expect(refreshed).toMatchObject({ added: 1, problems: [expect.stringContaining('b.jsonl.zst')] });
  });

  it('is not left by links, and its absence is a failure that removes nothing', async () => {
    const path = await watch();
    await writeFile(join(folder.path, 'outside.jsonl'), line('1', 'secret plan'));
    await symlink(join(folder.path, 'outside.jsonl'), join(path, 'out.jsonl'));
    await symlink(path, join(path, 'loop'));
    const [refreshed] = (await refreshSources(loci, {}, { isOwner: true })).sources;
    expect(refreshed).toMatchObject({ added: 0, problems: ['out.jsonl: the link leads out of the folder'] });
    await loci.close();
    loci = await openInline(
      settings(folder.path, { sources: [{ id: 'code', kind: 'conversations', path: `${path}-gone` }] }),
    );
    expect((await refreshSources(loci, {}, { isOwner: true })).sources[0]).toMatchObject({
      error: { code: 'unreadable' },
    });
  });
});
