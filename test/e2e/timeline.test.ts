import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { recordOperations } from '../../src/operations/nouns/records.ts';
import type { TimelineOutput } from '../../src/engine/packs/timeline.ts';
import { loadTokenCounter } from '../../src/pack/tokens.ts';
import { writeNotes } from '../contract/engines.ts';
import { runAsAgent } from './agent-call.ts';
import { loci, lociJson, preparedHomes } from './loci-command.ts';
import { connectStdio, textOf } from './mcp-session.ts';

const NOTES: Readonly<Record<string, string>> = {
  'Daily/2026-05-01.md': 'The plumber came.',
  'Daily/2026-05-02.md': 'The tiles arrived.',
  'Oven.md': '---\ndate: 2026-05-02T18:00\nproject: kitchen\n---\n# The oven\nDelivered at six.',
  'Trip.md': '---\ncreated: 2026-01-01\ndate: 2026-05-03\nproject: travel\n---\nTo Oslo.',
  'Old.md': '---\ncreated: 2019-03-04\ntags: [home/garden]\n---\nA garden plan.',
};

const preparedHome = preparedHomes(async (home, folder) => {
  await writeNotes(join(folder, 'notes'), NOTES);
  await writeNotes(join(folder, 'private'), { '2026-05-02 Doctor.md': 'At nine.' });
  await loci(['index', join(folder, 'notes'), join(folder, 'private')], { home });
  await loci(['write', 'Tove the plumber prefers texts'], { home });
});

let home: string;

beforeEach(() => {
  home = preparedHome();
});

const read = (...args: readonly string[]): Promise<TimelineOutput> =>
  lociJson(['timeline', ...args], { home });
const citations = ({ entries }: TimelineOutput): string[] => entries.map(({ citation }) => citation);

describe('loci timeline (G12)', () => {
  it('has the records around one in the order of their own dates, with citations that get reads', async () => {
    const output = await read('Oven', '--before', '3', '--after', '1');
    expect(citations(output)).toEqual([
      'Daily/2026-05-01.md',
      'Daily/2026-05-02.md',
      '2026-05-02 Doctor.md',
      'Oven.md',
      'Trip.md',
    ]);
    expect(output.entries.map(({ position }) => position)).toEqual([
      'before',
      'before',
      'before',
      'anchor',
      'after',
    ]);
    expect(output).toMatchObject({ more_before: true, more_after: true });
    expect(output.entries.map(({ when }) => when)).toEqual([
      '2026-05-01',
      '2026-05-02',
      '2026-05-02',
      '2026-05-02',
      '2026-05-03',
    ]);
    for (const { citation, title } of output.entries)
      expect(await lociJson(['get', citation], { home })).toMatchObject({ title });
  });

  it('is around a day or now, and limited to a project or a tag', async () => {
    const day = await read('--time', '2026-05-02', '--before', '1', '--after', '3');
    expect(citations(day)[0]).toBe('Daily/2026-05-01.md');
    expect(citations(day).at(-1)).toBe('Oven.md');
    const now = await read('--before', '1', '--after', '1');
    expect(now.entries).toMatchObject([{ position: 'before', title: 'Tove the plumber prefers texts' }]);
    expect(citations(await read('Oven', '--project', 'travel'))).toEqual(['Oven.md', 'Trip.md']);
    expect(citations(await read('--tag', 'home'))).toEqual(['Old.md']);
    expect(citations(await read('--origin', 'memory'))).toEqual(['record/7']);
  });

  it('stays within its budget of tokens, nearest records first, over MCP too', async () => {
    const count = await loadTokenCounter();
    const client = await connectStdio({ home });
    for (const budget of [50, 80, 120, 5000]) {
      const input = { anchor: 'Oven.md', budget };
      const result = await client.callTool({ name: 'memory_timeline', arguments: input });
      expect(result.structuredContent).toEqual({ text: textOf(result) });
      const used = count(textOf(result));
      expect(used).toBeLessThanOrEqual(budget);
      const printed = await read('Oven.md', '--budget', String(budget));
      expect(printed.budget).toEqual({ tokens: budget, used });
      if (budget > 50) expect(textOf(result)).toContain('> 2026-05-02 · Oven · Oven.md');
    }
    expect((await read('Oven', '--budget', '80')).entries.length).toBeLessThan(6);
  });

  it('leaves out what is kept out of the context of agents, unless an agent names it', async () => {
    const settings = join(home, 'loci.yaml');
    const text = readFileSync(settings, 'utf8');
    writeFileSync(settings, text.replace('- name: private', '- name: private\n    includeInContext: false'));
    const around = async (input: object): Promise<string[]> =>
      citations(await runAsAgent(recordOperations.timeline, { anchor: 'Oven.md', ...input }, home));
    expect(await around({})).not.toContain('2026-05-02 Doctor.md');
    expect(await around({ sources: ['private'] })).toEqual(['2026-05-02 Doctor.md', 'Oven.md']);
    expect(citations(await read('Oven.md'))).toContain('2026-05-02 Doctor.md');
    const hidden = { anchor: '2026-05-02 Doctor.md' };
    await expect(around(hidden)).rejects.toMatchObject({
      code: 'not_found',
      hint: 'Search again for a current citation.',
    });
    expect(await around({ ...hidden, sources: ['private'] })).toContain('2026-05-02 Doctor.md');
    expect(citations(await read('2026-05-02 Doctor.md'))).toContain('2026-05-02 Doctor.md');
  });

  it('refuses an anchor together with a time, and an unknown anchor', async () => {
    const both = await loci(['timeline', 'Oven', '--time', '2026-05-02'], { home });
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('not both')]);
    expect((await loci(['timeline', 'nothing of that name'], { home })).code).toBe(4);
  });

  it('prints a table with a mark at the anchor', async () => {
    const { stdout } = await loci(['timeline', 'Oven', '--before', '0', '--after', '1'], {
      home,
      columns: 100,
    });
    expect(stdout).toMatch(/^> {2}2026-05-02 {2}Oven +vault notes {2}Oven\.md\n {3}2026-05-03 {2}Trip/);
    expect(stdout).toMatch(/there are older and newer records\n$/);
  });
});
