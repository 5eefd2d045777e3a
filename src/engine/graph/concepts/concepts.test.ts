import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder, writeNotes } from '../../../../test/contract/engines.ts';
import type { Loci } from '../../open.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let loci: Loci;

const NOTES = {
  'Oven.md': '---\naliases: [Stove, Heater]\n---\nWe asked Miller Brothers.\n',
  'Furnace.md': '---\naliases: [Heater]\n---\nMiller Brothers came. The oven was old.\n',
  'Log.md': 'Today the stove failed. 我们的厨房装修计划\n',
  '厨房装修.md': '计划\n',
};

function open(name: string): Promise<Loci> {
  const vaults = [{ name: 'notes', path: join(folder.path, 'vault') }];
  return openInline(settings(join(folder.path, name), { vaults }));
}

beforeEach(async () => {
  folder = await temporaryFolder();
  for (const name of ['vault', 'one', 'two']) await mkdir(join(folder.path, name));
  await writeNotes(join(folder.path, 'vault'), NOTES);
  loci = await open('one');
  await loci.index();
});

afterEach(async () => {
  await loci.close();
  await folder[Symbol.asyncDispose]();
});

async function labels(of: Loci = loci): Promise<string[]> {
  const { concepts } = await of.concepts.list({ limit: 100 });
  return concepts.map(({ label }) => label).sort();
}

async function titlesNaming(concept: string): Promise<string[]> {
  const { mentionedIn } = await loci.concepts.show(concept);
  return mentionedIn.map(({ title }) => title).sort();
}

describe('concepts of an engine', () => {
  it('are titles, aliases and shared phrases, with the records that name them', async () => {
    expect(await labels()).toEqual(['Furnace', 'Miller Brothers', 'Oven', '厨房装修']);
    expect(await titlesNaming('stove')).toEqual(['Furnace', 'Log']);
    expect(await titlesNaming('厨房装修')).toEqual(['Log']);
    expect(await titlesNaming('Miller Brothers')).toEqual(['Furnace', 'Oven']);
  });

  it('are listed by how many records name them, then by name, page by page', async () => {
    const order = ['Furnace', 'Miller Brothers', 'Oven', '厨房装修'];
    await writeNotes(join(folder.path, 'vault'), { 'Plan.md': 'Miller Brothers look at the oven.\n' });
    await loci.index();
    const { concepts } = await loci.concepts.list({ limit: 100 });
    expect(concepts.map(({ label }) => label)).toEqual(['Miller Brothers', 'Oven', '厨房装修', 'Furnace']);
    const paged: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await loci.concepts.list({ limit: 1, ...(after !== undefined && { after }) });
      expect(page.total).toBe(order.length);
      paged.push(...page.concepts.map(({ label }) => label));
      if (page.next === null) break;
      after = page.next;
    }
    expect(paged).toEqual(concepts.map(({ label }) => label));
    const unknown = loci.concepts.list({ limit: 1, after: 'c_0000000000000000000000000000' });
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are no words that more records have in lower case than as a name', async () => {
    const warn = { 'A.md': 'They mind a Warning there.\n', 'B.md': 'He saw a Warning too.\n' };
    await writeNotes(join(folder.path, 'vault'), warn);
    await loci.index();
    expect(await labels()).toContain('Warning');
    await writeNotes(join(folder.path, 'vault'), {
      'C.md': 'Warning: a warning.\n',
      'D.md': 'Warning, or no warning.\n',
    });
    await loci.index();
    expect(await labels()).not.toContain('Warning');
  });

  it('are what a search says that two results have in common', async () => {
    await writeNotes(join(folder.path, 'vault'), {
      'Lantern Weekly.md': 'Lantern Weekly is a magazine. Its house is in Falkirk now.\n',
      'The boss.md': 'Anna leads the company. She lives in Falkirk too.\n',
    });
    await loci.index();
    const { results } = await loci.search({ query: 'who leads the publisher of Lantern Weekly' });
    const via = results.find(({ title }) => title === 'The boss')?.via;
    expect(via).toMatchObject({ kind: 'phrase', text: 'Falkirk' });
    expect(await titlesNaming(via!.text)).toEqual(['Lantern Weekly', 'The boss']);
  });

  it('follow notes that are changed, added and removed', async () => {
    await writeNotes(join(folder.path, 'vault'), {
      'Cooker.md': 'The plan of Miller Brothers\n',
      'Plan B.md': 'The cooker and the heater\n',
    });
    await rm(join(folder.path, 'vault', 'Furnace.md'));
    await loci.index();
    expect(await titlesNaming('Cooker')).toEqual(['Plan B']);
    expect(await titlesNaming('Heater')).toEqual(['Log', 'Plan B']);
    expect(await loci.concepts.conflicts()).toEqual([]);
  });

  it('list names of two notes as conflicts, which a merge settles and its undo restores', async () => {
    const before = await labels();
    const [conflict] = await loci.concepts.conflicts();
    expect(conflict?.name).toBe('Heater');
    expect(conflict?.notes.map(({ citation }) => citation)).toEqual(['Furnace.md', 'Oven.md']);
    await expect(loci.concepts.show('Heater')).rejects.toMatchObject({ code: 'ambiguous' });
    const { change, concepts } = await loci.concepts.merge('Oven', ['Furnace']);
    expect(concepts.map(({ label, records }) => [label, records.length])).toEqual([['Oven', 2]]);
    expect(await loci.concepts.conflicts()).toEqual([]);
    await loci.concepts.undo(change.id);
    expect(await labels()).toEqual(before);
    expect(await loci.concepts.conflicts()).toHaveLength(1);
  });

  it('keep their ids through a merge, a rename and a split', async () => {
    const { concept: furnace } = await loci.concepts.show('Furnace');
    await loci.concepts.merge('Oven', ['Furnace']);
    const { concept: oven } = await loci.concepts.show(furnace.id);
    expect(oven.label).toBe('Oven');
    await loci.concepts.rename('stove', 'Backofen');
    expect((await loci.concepts.show(oven.id)).concept.label).toBe('Backofen');
    await loci.concepts.split('Backofen', ['Furnace']);
    expect((await loci.concepts.show(furnace.id)).concept.label).toBe('Furnace');
  });

  it('refuse an undo on which a later change builds, and changes that make no sense, with the reason', async () => {
    const { change: merge } = await loci.concepts.merge('Oven', ['Furnace']);
    const { change: split } = await loci.concepts.split('Oven', ['Furnace']);
    await expect(loci.concepts.undo(merge.id)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(split.id) as string,
    });
    await expect(loci.concepts.undo('nothing')).rejects.toMatchObject({ code: 'not_found' });
    await expect(loci.concepts.split('Oven', ['Oven'])).rejects.toMatchObject({ code: 'conflict' });
    await expect(loci.concepts.split('Oven', ['Log'])).rejects.toMatchObject({ code: 'not_found' });
    await expect(loci.concepts.rename('Oven', '???')).rejects.toMatchObject({ code: 'invalid_input' });
    await loci.concepts.undo(split.id);
    await loci.concepts.undo(merge.id);
    await expect(loci.concepts.undo(merge.id)).rejects.toMatchObject({ code: 'conflict' });
    expect((await loci.concepts.changes()).map(({ change }) => change.kind)).toEqual([
      'undo',
      'undo',
      'split',
      'merge',
    ]);
  });

  it('lose a name that two merged notes had, by a split', async () => {
    const before = await titlesNaming('Oven');
    const { change: merge } = await loci.concepts.merge('Oven', ['Furnace']);
    expect((await loci.concepts.show('Heater')).concept.label).toBe('Oven');
    const { change, concepts } = await loci.concepts.split('Oven', ['heater']);
    expect(concepts.map(({ label }) => label).sort()).toEqual(['Heater', 'Oven']);
    const { concept } = await loci.concepts.show('Heater');
    expect([concept.label, concept.names.length, concept.records]).toEqual(['Heater', 1, []]);
    expect(await loci.concepts.conflicts()).toEqual([]);
    await loci.reindex();
    expect((await loci.concepts.show('Heater')).concept.id).toBe(concept.id);
    await loci.concepts.undo(change.id);
    await loci.concepts.undo(merge.id);
    expect((await loci.concepts.conflicts()).map(({ name }) => name)).toEqual(['Heater']);
    expect(await titlesNaming('Oven')).toEqual(before);
  });

  it('have changes that are told with the titles of notes and the names as written', async () => {
    await loci.concepts.merge('Oven', ['Furnace']);
    await loci.concepts.rename('Oven', 'Backofen');
    await loci.concepts.split('Backofen', ['Furnace']);
    await loci.concepts.split('Oven', ['Backofen']);
    expect((await loci.concepts.changes()).map(({ named }) => named)).toMatchObject([
      { kind: 'split', from: 'Oven', names: ['Backofen'] },
      { kind: 'split', from: 'Oven', names: ['Furnace'] },
      { kind: 'rename', concept: 'Oven', label: 'Backofen' },
      { kind: 'merge', into: 'Oven', from: ['Furnace'] },
    ]);
    expect(await labels()).toEqual(['Backofen', 'Furnace', 'Miller Brothers', 'Oven', '厨房装修']);
  });

  it('write each change to the audit log, with who made it', async () => {
    const { change } = await loci.concepts.merge('Oven', ['Furnace']);
    const [entry] = await loci.audit({ limit: 1 });
    expect(entry).toMatchObject({
      action: 'concept-merge',
      subject: `concept:${change.id}`,
      surface: 'library',
    });
  });

  it('keep the changes of operators through a reindex, an export and an import', async () => {
    const { change } = await loci.concepts.merge('Oven', ['Furnace']);
    await loci.concepts.rename('Oven', 'Backofen');
    const merged = await labels();
    await loci.reindex();
    expect(await labels()).toEqual(merged);
    const path = join(folder.path, 'export.jsonl');
    expect((await loci.portable.exportToFile(path)).concept_change).toBe(2);
    const other = await open('two');
    try {
      for (const added of [2, 0]) {
        const { report } = await other.portable.import({ from: { path } });
        expect(report.problems).toEqual([]);
        expect(report.auxiliary.concept_change).toBe(added);
      }
      expect(await labels(other)).toEqual(merged);
      expect((await other.concepts.changes()).at(-1)!.change).toEqual(change);
    } finally {
      await other.close();
    }
  });

  it('are of one namespace: another sees neither names nor changes', async () => {
    await loci.concepts.merge('Oven', ['Furnace']);
    const other = loci.as({ namespace: 'agent:b', actor: 'b', surface: 'rest', trust: 'operator' });
    expect(await labels(other)).toEqual([]);
    expect(await other.concepts.changes()).toEqual([]);
    await expect(other.concepts.show('Oven')).rejects.toMatchObject({ code: 'not_found' });
    await other.write({ content: '“Slow Heat” one', project: 'default' });
    await other.write({ content: '“Slow Heat” two', project: 'default' });
    expect(await labels(other)).toEqual(['Slow Heat']);
    expect(await labels()).not.toContain('Slow Heat');
  });
});
