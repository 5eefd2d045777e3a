import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder, writeNotes } from '../../../../test/contract/engines.ts';
import type { EngineContext } from '../../context.ts';
import { indexVaults } from '../../reading/index-vaults.ts';
import { listConcepts, showConcept, conceptConflicts, conceptChanges } from './concepts.ts';
import { search } from '../../records/search.ts';
import { mergeConcepts, undoConceptChange, renameConcept, splitConcept } from './change-concepts.ts';
import { reindex } from '../../health/reindex.ts';
import { audit } from '../../audit/read-audit.ts';
import { exportToFile } from '../../portable/export.ts';
import { importMemory } from '../../portable/import.ts';
import { write } from '../../records/write.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let loci: EngineContext;

const NOTES = {
  'Oven.md': '---\naliases: [Stove, Heater]\n---\nWe asked Miller Brothers.\n',
  'Furnace.md': '---\naliases: [Heater]\n---\nMiller Brothers came. The oven was old.\n',
  'Log.md': 'Today the stove failed. 我们的厨房装修计划\n',
  '厨房装修.md': '计划\n',
};

function open(name: string): Promise<EngineContext> {
  const vaults = [{ name: 'notes', path: join(folder.path, 'vault') }];
  return openInline(settings(join(folder.path, name), { vaults }));
}

beforeEach(async () => {
  folder = await temporaryFolder();
  for (const name of ['vault', 'one', 'two']) await mkdir(join(folder.path, name));
  await writeNotes(join(folder.path, 'vault'), NOTES);
  loci = await open('one');
  await indexVaults(loci);
});

afterEach(async () => {
  await loci.close();
  await folder[Symbol.asyncDispose]();
});

async function labels(of: EngineContext = loci): Promise<string[]> {
  const { concepts } = await listConcepts(of, { limit: 100 });
  return concepts.map(({ label }) => label).sort();
}

async function titlesNaming(concept: string): Promise<string[]> {
  const { mentioned_in } = await showConcept(loci, { concept });
  return mentioned_in.map(({ title }) => title).sort();
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
    await indexVaults(loci);
    const { concepts } = await listConcepts(loci, { limit: 100 });
    expect(concepts.map(({ label }) => label)).toEqual(['Miller Brothers', 'Oven', '厨房装修', 'Furnace']);
    const paged: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await listConcepts(loci, { limit: 1, ...(after !== undefined && { after }) });
      expect(page.total).toBe(order.length);
      paged.push(...page.concepts.map(({ label }) => label));
      if (page.next === null) break;
      after = page.next;
    }
    expect(paged).toEqual(concepts.map(({ label }) => label));
    const unknown = listConcepts(loci, { limit: 1, after: 'c_0000000000000000000000000000' });
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are no words that more records have in lower case than as a name', async () => {
    const warn = { 'A.md': 'They mind a Warning there.\n', 'B.md': 'He saw a Warning too.\n' };
    await writeNotes(join(folder.path, 'vault'), warn);
    await indexVaults(loci);
    expect(await labels()).toContain('Warning');
    await writeNotes(join(folder.path, 'vault'), {
      'C.md': 'Warning: a warning.\n',
      'D.md': 'Warning, or no warning.\n',
    });
    await indexVaults(loci);
    expect(await labels()).not.toContain('Warning');
  });

  it('are what a search says that two results have in common', async () => {
    await writeNotes(join(folder.path, 'vault'), {
      'Lantern Weekly.md': 'Lantern Weekly is a magazine. Its house is in Falkirk now.\n',
      'The boss.md': 'Anna leads the company. She lives in Falkirk too.\n',
    });
    await indexVaults(loci);
    const { results } = await search(loci, { query: 'who leads the publisher of Lantern Weekly' });
    const via = results.find(({ title }) => title === 'The boss')?.via;
    expect(via?.how).toBe('both name “Falkirk”');
    expect(await titlesNaming('Falkirk')).toEqual(['Lantern Weekly', 'The boss']);
  });

  it('follow notes that are changed, added and removed', async () => {
    await writeNotes(join(folder.path, 'vault'), {
      'Cooker.md': 'The plan of Miller Brothers\n',
      'Plan B.md': 'The cooker and the heater\n',
    });
    await rm(join(folder.path, 'vault', 'Furnace.md'));
    await indexVaults(loci);
    expect(await titlesNaming('Cooker')).toEqual(['Plan B']);
    expect(await titlesNaming('Heater')).toEqual(['Log', 'Plan B']);
    expect((await conceptConflicts(loci)).conflicts).toEqual([]);
  });

  it('list names of two notes as conflicts, which a merge settles and its undo restores', async () => {
    const before = await labels();
    const [conflict] = (await conceptConflicts(loci)).conflicts;
    expect(conflict?.name).toBe('Heater');
    expect(conflict?.notes.map(({ citation }) => citation)).toEqual(['Furnace.md', 'Oven.md']);
    await expect(showConcept(loci, { concept: 'Heater' })).rejects.toMatchObject({ code: 'ambiguous' });
    const { change, concepts } = await mergeConcepts(loci, { into: 'Oven', from: ['Furnace'] });
    expect(concepts.map(({ label, notes }) => [label, notes.length])).toEqual([['Oven', 2]]);
    expect((await conceptConflicts(loci)).conflicts).toEqual([]);
    await undoConceptChange(loci, { change: change.id });
    expect(await labels()).toEqual(before);
    expect((await conceptConflicts(loci)).conflicts).toHaveLength(1);
  });

  it('are previewed as a merge or a split would make them, which changes nothing', async () => {
    const before = await labels();
    const merge = { into: 'Oven', from: ['Furnace'] };
    const previewed = await mergeConcepts(loci, { ...merge, preview: true });
    expect(previewed.made).toBe(false);
    expect(await labels()).toEqual(before);
    expect((await conceptChanges(loci)).changes).toEqual([]);
    const { made, concepts } = await mergeConcepts(loci, merge);
    expect(made).toBe(true);
    expect(concepts).toEqual(previewed.concepts);
    const split = { concept: 'Oven', names: ['Furnace'] };
    const parts = (await splitConcept(loci, { ...split, preview: true })).concepts;
    expect(parts.map(({ label }) => label).sort()).toEqual(['Furnace', 'Oven']);
    expect((await conceptChanges(loci)).changes).toHaveLength(1);
    expect((await splitConcept(loci, split)).concepts).toEqual(parts);
    const refused = mergeConcepts(loci, { into: 'Oven', from: ['Oven'], preview: true });
    await expect(refused).rejects.toMatchObject({ code: 'conflict' });
  });

  it('have their changes and conflicts page by page', async () => {
    const { change } = await mergeConcepts(loci, { into: 'Oven', from: ['Furnace'] });
    const { change: undo } = await undoConceptChange(loci, { change: change.id });
    const first = await conceptChanges(loci, { limit: 1 });
    expect(first).toMatchObject({ changes: [{ id: undo.id }], total: 2, next: 1 });
    expect(await conceptChanges(loci, { limit: 1, after: 1 })).toMatchObject({
      ...{ changes: [{ id: change.id }], total: 2, next: null },
    });
    expect(await conceptConflicts(loci, { limit: 1 })).toMatchObject({ total: 1, next: null });
    expect((await conceptConflicts(loci, { after: 1 })).conflicts).toEqual([]);
  });

  it('keep their ids through a merge, a rename and a split', async () => {
    const { concept: furnace } = await showConcept(loci, { concept: 'Furnace' });
    await mergeConcepts(loci, { into: 'Oven', from: ['Furnace'] });
    const { concept: oven } = await showConcept(loci, { concept: furnace.id });
    expect(oven.label).toBe('Oven');
    await renameConcept(loci, { concept: 'stove', label: 'Backofen' });
    expect((await showConcept(loci, { concept: oven.id })).concept.label).toBe('Backofen');
    await splitConcept(loci, { concept: 'Backofen', names: ['Furnace'] });
    expect((await showConcept(loci, { concept: furnace.id })).concept.label).toBe('Furnace');
  });

  it('refuse an undo on which a later change builds, and changes that make no sense, with the reason', async () => {
    const { change: merge } = await mergeConcepts(loci, { into: 'Oven', from: ['Furnace'] });
    const { change: split } = await splitConcept(loci, { concept: 'Oven', names: ['Furnace'] });
    await expect(undoConceptChange(loci, { change: merge.id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(split.id) as string,
    });
    await expect(undoConceptChange(loci, { change: 'nothing' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(splitConcept(loci, { concept: 'Oven', names: ['Oven'] })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(splitConcept(loci, { concept: 'Oven', names: ['Log'] })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(renameConcept(loci, { concept: 'Oven', label: '???' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await undoConceptChange(loci, { change: split.id });
    await undoConceptChange(loci, { change: merge.id });
    await expect(undoConceptChange(loci, { change: merge.id })).rejects.toMatchObject({ code: 'conflict' });
    expect((await conceptChanges(loci)).changes.map(({ kind }) => kind)).toEqual([
      'undo',
      'undo',
      'split',
      'merge',
    ]);
  });

  it('lose a name that two merged notes had, by a split', async () => {
    const before = await titlesNaming('Oven');
    const { change: merge } = await mergeConcepts(loci, { into: 'Oven', from: ['Furnace'] });
    expect((await showConcept(loci, { concept: 'Heater' })).concept.label).toBe('Oven');
    const { change, concepts } = await splitConcept(loci, { concept: 'Oven', names: ['heater'] });
    expect(concepts.map(({ label }) => label).sort()).toEqual(['Heater', 'Oven']);
    const { concept } = await showConcept(loci, { concept: 'Heater' });
    expect([concept.label, concept.names.length, concept.notes]).toEqual(['Heater', 1, []]);
    expect((await conceptConflicts(loci)).conflicts).toEqual([]);
    await reindex(loci);
    expect((await showConcept(loci, { concept: 'Heater' })).concept.id).toBe(concept.id);
    await undoConceptChange(loci, { change: change.id });
    await undoConceptChange(loci, { change: merge.id });
    expect((await conceptConflicts(loci)).conflicts.map(({ name }) => name)).toEqual(['Heater']);
    expect(await titlesNaming('Oven')).toEqual(before);
  });

  it('have changes that are told with the titles of notes and the names as written', async () => {
    await mergeConcepts(loci, { into: 'Oven', from: ['Furnace'] });
    await renameConcept(loci, { concept: 'Oven', label: 'Backofen' });
    await splitConcept(loci, { concept: 'Backofen', names: ['Furnace'] });
    await splitConcept(loci, { concept: 'Oven', names: ['Backofen'] });
    expect((await conceptChanges(loci)).changes.map(({ kind, what }) => `${kind}: ${what}`)).toEqual([
      'split: Backofen from Oven',
      'split: Furnace from Oven',
      'rename: Oven to Backofen',
      'merge: Furnace into Oven',
    ]);
    expect(await labels()).toEqual(['Backofen', 'Furnace', 'Miller Brothers', 'Oven', '厨房装修']);
  });

  it('write each change to the audit log, with who made it', async () => {
    const { change } = await mergeConcepts(loci, { into: 'Oven', from: ['Furnace'] });
    const [entry] = (await audit(loci, { limit: 1 })).entries;
    expect(entry).toMatchObject({
      action: 'concept-merge',
      subject: `concept:${change.id}`,
      surface: 'library',
    });
  });

  it('keep the changes of operators through a reindex, an export and an import', async () => {
    const { change } = await mergeConcepts(loci, { into: 'Oven', from: ['Furnace'] });
    await renameConcept(loci, { concept: 'Oven', label: 'Backofen' });
    const merged = await labels();
    await reindex(loci);
    expect(await labels()).toEqual(merged);
    const path = join(folder.path, 'export.jsonl');
    expect((await exportToFile(loci, path)).concept_change).toBe(2);
    const other = await open('two');
    try {
      for (const added of [2, 0]) {
        const report = await importMemory(other, { path });
        expect(report.problems).toEqual([]);
        expect(report.concept_change.added).toBe(added);
      }
      expect(await labels(other)).toEqual(merged);
      expect((await conceptChanges(other)).changes.at(-1)).toEqual(change);
    } finally {
      await other.close();
    }
  });

  it('are of one namespace: another sees neither names nor changes', async () => {
    await mergeConcepts(loci, { into: 'Oven', from: ['Furnace'] });
    const other = loci.as({ namespace: 'agent:b', actor: 'b', surface: 'rest', trust: 'operator' });
    expect(await labels(other)).toEqual([]);
    expect((await conceptChanges(other)).changes).toEqual([]);
    await expect(showConcept(other, { concept: 'Oven' })).rejects.toMatchObject({ code: 'not_found' });
    await write(other, { content: '“Slow Heat” one', project: 'default' });
    await write(other, { content: '“Slow Heat” two', project: 'default' });
    expect(await labels(other)).toEqual(['Slow Heat']);
    expect(await labels()).not.toContain('Slow Heat');
  });
});
