import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import { LociError } from '../../core/errors.ts';
import { audit } from '../audit/read-audit.ts';
import type { EngineContext } from '../context.ts';
import { exportToFile } from '../portable/export.ts';
import { importMemory } from '../portable/import.ts';
import { injectStartup, listStartup, removeStartup, setStartup } from './startup.ts';

const folder = folderForEach();
let loci: EngineContext;

const open = (name = 'one'): Promise<EngineContext> =>
  openInline(settings(join(folder.path, name), { startup: { maxChars: 30, maxCharsByModel: { opus: 60 } } }));

beforeEach(async () => {
  loci = await open();
  for (const key of ['a', 'b', 'c']) await setStartup(loci, { key, content: `About ${key}.`, priority: 1 });
});

afterEach(() => loci.close());

async function order(engine = loci): Promise<string> {
  return (await listStartup(engine)).entries
    .map(({ key, priority }) => `${key}${String(priority)}`)
    .join(' ');
}

describe('the order of startup entries', () => {
  it('is that of their keys until one is moved, within its priority or to another one', async () => {
    expect(await order()).toBe('a1 b1 c1');
    await setStartup(loci, { key: 'c', position: 1 });
    expect(await order()).toBe('c1 a1 b1');
    await setStartup(loci, { key: 'c', position: 2 });
    expect(await order()).toBe('a1 c1 b1');
    await setStartup(loci, { key: 'a', position: 99 });
    expect(await order()).toBe('c1 b1 a1');
    await setStartup(loci, { key: 'b', priority: 0, position: 1 });
    expect(await order()).toBe('b0 c1 a1');
    await setStartup(loci, { key: 'b', priority: 1, position: 2 });
    expect(await order()).toBe('c1 b1 a1');
  });

  it('has a new entry last among those that were moved, and a restored one where it was', async () => {
    await setStartup(loci, { key: 'c', position: 1 });
    await setStartup(loci, { key: '0', content: 'New.', priority: 1 });
    expect(await order()).toBe('c1 a1 b1 01');
    await removeStartup(loci, { key: 'a' });
    expect(await order()).toBe('c1 b1 01');
    await setStartup(loci, { key: 'b', position: 2 });
    await setStartup(loci, { key: 'a' });
    expect((await order()).split(' ').toSorted()).toEqual(['01', 'a1', 'b1', 'c1']);
  });

  it('is in the audit log, and moves without a change of the text of the others', async () => {
    await setStartup(loci, { key: 'c', position: 1 });
    const [entry] = (await audit(loci, { limit: 1 })).entries;
    expect(entry).toMatchObject({ subject: 'startup:c', diff: { place: { before: null, after: 1 } } });
    const count = (await audit(loci, { limit: 50 })).entries.length;
    await setStartup(loci, { key: 'c', position: 1 });
    expect((await audit(loci, { limit: 50 })).entries).toHaveLength(count);
  });

  it('survives an export and an import', async () => {
    await setStartup(loci, { key: 'c', position: 1 });
    const path = `${folder.path}/export.jsonl`;
    await exportToFile(loci, path);
    const other = await open('two');
    try {
      expect((await importMemory(other, { path })).problems).toEqual([]);
      expect(await order(other)).toBe('c1 a1 b1');
    } finally {
      await other.close();
    }
  });
});

describe('the preview of the startup text', () => {
  it('has an entry as it would be, and stores nothing', async () => {
    const draft = { key: 'b', content: 'Longer words about b.' };
    const shown = await injectStartup(loci, { draft, preview: true });
    expect(shown).toMatchObject({
      ...{ text: 'About a.\n\nAbout c.', budget: 30 },
      left_out: [{ key: 'b', agent: null, too_long: true }],
    });
    const wide = await injectStartup(loci, { draft, model: 'opus-5', preview: true });
    expect(wide.text).toBe('About a.\n\nLonger words about b.\n\nAbout c.');
    const added = { key: 'new', content: 'New.', priority: 0, agent: 'ada' };
    const forAda = await injectStartup(loci, { draft: added, agent: 'ada', preview: true });
    expect(forAda.included[0]).toMatchObject({ key: 'new', agent: 'ada', priority: 0 });
    expect(await order()).toBe('a1 b1 c1');
    expect((await listStartup(loci)).budgets).toEqual([
      { model: null, characters: 30 },
      { model: 'opus', characters: 60 },
    ]);
  });
});

it('the startup text is given where the store cannot be written, and says that the session is not recorded', async () => {
  const commit = vi.spyOn(loci.store.records, 'commit');
  commit.mockRejectedValue(new LociError('store_full', 'the disk is full'));
  const shown = await injectStartup(loci, { session: 's' });
  expect(shown.text).toContain('About a.');
  expect(shown.notice).toContain('the disk is full');
  commit.mockRestore();
  expect(await injectStartup(loci, { session: 's' })).not.toHaveProperty('notice');
});
