import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { exportSchema } from '../../src/graph/export-schema.ts';
import type { GraphConceptsOutput, GraphConflictsOutput } from '../../src/engine/graph/concepts.ts';
import type { GraphDiffOutput } from '../../src/operations/nouns/graph-files.ts';
import type { GraphPathOutput, GraphShowOutput } from '../../src/engine/graph/show-nodes.ts';
import { writeNotes } from '../contract/engines.ts';
import { type CommandResult, indexedHomes, loci, lociJson, temporaryFolder } from './loci-command.ts';

const NOTES: Readonly<Record<string, string>> = {
  'Oven.md': '---\naliases: [Stove]\n---\n# Plan\n\nSee [[Budget]].\n\n- [ ] Order it 📅 2026-11-25\n',
  'Budget.md': '# Money\n\nAgreed in [[Contract]]. The stove is too dear.\n',
  'Contract.md': 'Signed.\n',
  'Hob.md': '---\naliases: [Range]\n---\nOf glass.\n',
  'Cooker.md': '---\naliases: [Range]\n---\nOf steel.\n',
};

let home: string;
const indexedHome = indexedHomes(NOTES);

beforeEach(() => {
  home = indexedHome();
});

/** Makes a home whose notes the test may change. Returns their folder. */
async function ownNotes(): Promise<string> {
  const folder = temporaryFolder();
  home = join(folder, 'home');
  await writeNotes(join(folder, 'notes'), NOTES);
  await run('index', join(folder, 'notes'));
  return folder;
}

const run = (...args: readonly string[]): Promise<CommandResult> => loci(args, { home, columns: 100 });
const json = <Output>(...args: readonly string[]): Promise<Output> => lociJson<Output>(args, { home });

describe('loci graph', () => {
  it('shows nodes with their edges and reasons, answers the known names, and names the others', async () => {
    const both = await run('graph', 'show', 'Oven', 'No such note');
    expect(both.code).toBe(0);
    expect(both.stderr).toContain('No such note');
    expect(both.stdout).toMatch(/^Oven {2}note · default · n_[0-9a-f]{16}\n/);
    expect(both.stdout).toContain('→ links_to  Budget  (linked under ‘Plan’, line 6, Oven.md');
    const none = await run('graph', 'show', 'n_0000000000000000', '--json');
    expect(none.code).toBe(4);
    expect((await run('graph', 'show', 'Ovne')).stderr).toContain('Did you mean "Oven.md"?');
    expect(JSON.parse(none.stdout)).toEqual({
      nodes: [],
      notices: [],
      unknown: [{ name: 'n_0000000000000000', reason: 'no node has the id n_0000000000000000' }],
    });
    const { nodes } = await json<GraphShowOutput>('graph', 'show', 'Oven', '--depth', '2');
    expect(nodes[0]!.near).toMatchObject([
      { title: 'Contract', via: expect.stringMatching(/^via \[\[Oven\]\] → linked under ‘Plan’, line 6/) },
    ]);
    expect(nodes[0]!.edges).toContainEqual(expect.objectContaining({ type: 'part_of', direction: 'in', reason: 'a task under ‘Plan’, line 8' })); // prettier-ignore
    const budget = await json<GraphShowOutput>('graph', 'show', 'Budget');
    const [incoming] = budget.nodes[0]!.edges.filter(
      ({ direction, type }) => direction === 'in' && type === 'links_to',
    );
    expect(incoming).toMatchObject({ from: { title: 'Oven' }, to: { title: 'Budget' } });
    expect((await run('graph', 'show', 'Budget')).stdout).toContain('← links_to  Oven');
  });

  it('finds a path with the reason of each step, and says when there is none', async () => {
    const path = await json<GraphPathOutput>('graph', 'path', 'Oven', 'Contract');
    expect(path).toMatchObject({ found: true, partial: false, unknown: [] });
    expect(path.steps.map(({ from, to }) => [from.title, to.title])).toEqual([
      ['Oven', 'Budget'],
      ['Budget', 'Contract'],
    ]);
    const { nodes } = await json<GraphShowOutput>('graph', 'show', 'Oven', 'Hob');
    const none = await run('graph', 'path', nodes[0]!.id, nodes[1]!.id);
    expect([none.code, none.stdout]).toEqual([4, 'They are not connected.\n']);
    const unknown = await run('graph', 'path', 'Oven', 'Nothing');
    expect([unknown.code, unknown.stdout]).toEqual([4, '']);
    expect(unknown.stderr).toContain('Nothing');
    expect((await run('graph', 'path', 'Oven', 'Oven')).stdout).toBe('They are the same node.\n');
  });

  it('is exported, and two exports are compared', async () => {
    const folder = await ownNotes();
    const before = await run('graph', 'export');
    expect([before.code, before.stderr]).toEqual([0, '']);
    exportSchema.parse(JSON.parse(before.stdout));
    expect((await run('graph', 'export')).stdout).toBe(before.stdout);
    const files = ['before.json', 'after.json'].map((name) => join(folder, name));
    writeFileSync(files[0]!, before.stdout);
    writeFileSync(join(folder, 'notes/Hob.md'), 'See [[Oven]].\n');
    await run('index');
    writeFileSync(files[1]!, (await run('graph', 'export')).stdout);
    const { edges } = await json<GraphDiffOutput>('graph', 'diff', ...files);
    expect(edges.added).toContainEqual(
      expect.objectContaining({ type: 'links_to', reason: 'linked in line 1' }),
    );
    expect((await run('graph', 'diff', files[0]!, files[0]!)).stdout).toBe('The graphs are the same.\n');
    writeFileSync(files[1]!, before.stdout.slice(0, -10));
    const half = await run('graph', 'diff', ...files);
    expect([half.code, half.stderr]).toEqual([2, expect.stringContaining('is no export of a graph')]);
    const missing = await run('graph', 'diff', files[0]!, join(folder, 'none.json'));
    expect(missing.stderr).toContain('none.json');
    expect(missing.code).not.toBe(0);
  });
});

describe('loci graph concepts', () => {
  it('lists concepts by any of their names, whose ids the graph knows, and names that two notes have', async () => {
    const { concepts } = await json<GraphConceptsOutput>('graph', 'concepts', 'stove');
    expect(concepts).toMatchObject([{ label: 'Oven', names: [{ name: 'Oven', kind: 'title' }, { name: 'Stove', kind: 'alias' }] }]); // prettier-ignore
    const { id } = concepts[0]!;
    expect((await run('graph', 'concepts', 'stove')).stdout).toMatch(
      new RegExp(`\\nOven +default +${id} +Stove\\n`),
    );
    expect((await run('graph', 'show', id)).stdout).toContain('Budget');
    const { conflicts } = await json<GraphConflictsOutput>('graph', 'conflicts');
    expect(conflicts).toMatchObject([{ name: 'Range', notes: [{ title: 'Cooker' }, { title: 'Hob' }] }]);
    expect((await run('graph', 'conflicts')).stdout).toMatch(/\nRange +default +Cooker +Cooker\.md\nRange +default +Hob +Hob\.md\n/); // prettier-ignore
  });
});

describe('the commands of graph, timelines and receipts', () => {
  it.each([
    [['graph', 'show']],
    [['graph', 'show', 'Oven', '--depth', '4']],
    [['graph', 'path', 'Oven']],
    [['graph', 'diff', 'a.json']],
    [['timeline', '--budget', '1']],
    [['timeline', '--time', 'not a day']],
    [['receipt', 'verify']],
  ])('refuse %j with exit code 2 and say what is wrong', async (args) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^loci: \S/);
  });
});
