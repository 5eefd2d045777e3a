import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PRIVATE_TODO } from './household.ts';
import { gateway, hits, home } from './shared.ts';

const containing = (text: string): unknown => expect.stringContaining(text);

it('memory_search finds what a memory file of the workspace says', async () => {
  await expect
    .poll(() => hits('gas man'), { timeout: 100_000 })
    .toMatchObject([{ path: 'MEMORY.md', snippet: containing('The gas man comes on Friday') }]);
});

it('the host copies one module of the plugin, and neither the engine nor the model', () => {
  const copies = globSync('*/captures/*/package-*/node_modules/loci-memory/**/*.*', {
    cwd: join(home.folder, 'state', 'tmp', 'plugin-captures'),
  });
  const names = new Set(copies.map((path) => path.replace(/^.*?node_modules\//, '')));
  expect([...names].sort()).toEqual([
    'loci-memory/dist/bundle/openclaw-memory.js',
    'loci-memory/openclaw.plugin.json',
    'loci-memory/package.json',
  ]);
});

it.each([undefined, 'memory', 'all'])('memory_search and memory_get accept the corpus %s', async (corpus) => {
  const { value } = await gateway.invoke('memory_search', { query: 'gas man', ...(corpus && { corpus }) });
  const { results } = value as { readonly results: readonly { readonly path: string }[] };
  expect(results.map(({ path }) => path)).toEqual(['MEMORY.md']);
  const page = await gateway.invoke('memory_get', { path: 'MEMORY.md', ...(corpus && { corpus }) });
  expect(page.value).toMatchObject({ status: 'ok' });
});

it('memory_timeline shows notes and memory files in order, and memory_list the facts of the agent', async () => {
  const { value } = await gateway.invoke('memory_timeline', { anchor: 'default:Kitchen remodel.md' });
  const { entries } = value as {
    readonly entries: readonly { readonly citation: string; readonly position: string }[];
  };
  expect(entries.find(({ position }) => position === 'anchor')?.citation).toContain(
    'default:Kitchen remodel.md',
  );
  expect(entries.some(({ citation }) => citation.startsWith('MEMORY.md'))).toBe(true);
  await gateway.invoke('memory_store', { key: 'boiler', value: 'Serviced by Imre' });
  const listed = await gateway.invoke('memory_list', {});
  expect(JSON.stringify(listed.value)).toContain('boiler');
  const other = await gateway.invoke('memory_list', {}, { agent: 'kids' });
  expect(JSON.stringify(other.value)).not.toContain('boiler');
});

it('memory_search leaves out files of the workspace that are no memory', async () => {
  expect(await hits('zebra')).toEqual([]);
});

it('memory_search says that nothing is about the query, as a success', async () => {
  const { status, value } = await gateway.invoke('memory_search', { query: 'xylophone' });
  expect([status, value]).toMatchObject([200, { results: [], notice: containing('Nothing found') }]);
});

it('memory_get reads the lines that a citation names, of the workspace and of the vault', async () => {
  const [own] = await hits('gas man');
  const [note] = await hits('induction oven');
  const read = await gateway.invoke('memory_get', { path: own?.citation });
  const readNote = await gateway.invoke('memory_get', { path: note?.citation });
  expect(note?.citation).toMatch(/^default:Kitchen remodel\.md#L/);
  expect(read.value).toMatchObject({ status: 'ok', text: containing('gas man') });
  expect(readNote.value).toMatchObject({ status: 'ok', text: containing('induction oven') });
});

it('memory_get says that there is no such file', async () => {
  const { value } = await gateway.invoke('memory_get', { path: 'memory/2020-01-01.md' });
  expect(value).toMatchObject({ status: 'not_found', path: 'memory/2020-01-01.md' });
});

it('a record is found once it is written, no longer when it is deleted, and again when it is restored', async () => {
  const written = await gateway.invoke('memory_write', { content: 'The plumber is called Babatunde.' });
  const id = (written.value as { readonly id: number }).id;
  const found = await hits('plumber');
  await gateway.invoke('memory_delete', { id });
  const afterDelete = await hits('plumber');
  await gateway.invoke('memory_undelete', { id });
  const afterUndelete = await hits('plumber');
  await gateway.invoke('memory_update', { id, content: 'The plumber is called Wilhelmina.' });
  const [updated] = await hits('plumber');
  expect([found.length, afterDelete.length, afterUndelete.length]).toEqual([1, 0, 1]);
  expect(updated).toMatchObject({ snippet: containing('Wilhelmina'), provenance: { originClass: 'agent' } });
});

it('a fact is found once it is stored, and no longer when it is forgotten', async () => {
  await gateway.invoke('memory_store', { key: 'favourite_tea', value: 'Lapsang souchong' });
  const found = await hits('Lapsang');
  await gateway.invoke('memory_forget', { key: 'favourite_tea' });
  expect([found.length, (await hits('Lapsang')).length]).toEqual([1, 0]);
});

it('a wrong input is an error that says what to do', async () => {
  const { value } = await gateway.invoke('memory_delete', { id: 999_999 });
  expect(value).toMatchObject({ status: 'error', error: containing('999999'), action: containing('') });
  expect((value as { readonly action: string }).action).not.toBe('');
});

it('memory_search never returns documents of a source that the owner keeps from models', async () => {
  const found = await hits('what the kitchen remodel really costs');
  expect(found.length).toBeGreaterThan(0);
  expect(JSON.stringify(found)).not.toContain(PRIVATE_TODO);
});

it('an answer of memory_search has fewer than 1200 tokens', async () => {
  const paragraph = 'The garden wall needs lime mortar, which takes weeks to harden in the damp. '.repeat(12);
  for (let i = 0; i < 12; i++)
    await gateway.invoke('memory_write', {
      title: `Wall ${String(i)}`,
      content: `${String(i)}. ${paragraph}`,
    });
  const { value } = await gateway.invoke('memory_search', { query: 'garden wall lime mortar' });
  const few = (value as { readonly results: readonly unknown[] }).results.length;
  const many = await gateway.invoke('memory_search', { query: 'garden wall lime mortar', maxResults: 50 });
  expect(few).toBe(6);
  // English text and JSON have more than three characters for each token.
  for (const answer of [value, many.value]) expect(JSON.stringify(answer).length / 3).toBeLessThan(1200);
});
