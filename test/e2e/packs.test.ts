import { describe, expect, it } from 'vitest';
import type { PackOutput } from '../../src/engine/packs/memory-pack.ts';
import { receiptSchema } from '../../src/pack/receipt.ts';
import { loadTokenCounter } from '../../src/pack/tokens.ts';
import { indexedHomes, loci, lociJson } from './loci-command.ts';

const QUERY = 'kitchen remodel oven';

const indexedHome = indexedHomes();

describe('loci pack', () => {
  it('prints one fenced text within its budget, with citations that `loci get` reads', async () => {
    const options = { home: indexedHome() };
    const output = await lociJson<PackOutput>(['pack', QUERY, '--budget', '1500', '--trace'], options);
    const count = await loadTokenCounter();
    expect(output.text).toMatch(/^<loci-pack id="([0-9a-f]{6})">\n[\s\S]+\n<\/loci-pack id="\1">$/);
    expect(count(output.text)).toBe(output.tokens);
    expect(output.tokens).toBeLessThanOrEqual(1500);
    expect(output.items.length).toBeGreaterThan(1);
    for (const { citation } of output.items)
      expect((await loci(['get', citation], options)).code, citation).toBe(0);
    const receipt = receiptSchema.parse(output.receipt);
    expect(receipt.budget).toEqual({ tokens: 1500, used: output.tokens, tokenizer: 'o200k_base' });
    expect(receipt.lanes.map(({ name, status }) => [name, status])).toEqual([
      ['search', 'answered'],
      ['related', 'answered'],
      ['embeds', 'answered'],
      ['graph', 'off'],
    ]);
    const { stdout } = await loci(['pack', QUERY, '--budget', '1500'], options);
    expect(stdout).toContain(output.text);
    expect(stdout).toContain(`${String(output.tokens)} of 1500 tokens`);
  });

  it('adds what the graph leads to, if it is asked to, and takes --graph and --no-graph for it', async () => {
    const options = { home: indexedHome() };
    const packed = (...flags: string[]): Promise<PackOutput> =>
      lociJson<PackOutput>(['pack', 'oven', '--budget', '4000', '--trace', ...flags], options);
    const laneOf = ({ receipt }: PackOutput): object | undefined =>
      receipt?.lanes.find(({ name }) => name === 'graph');
    const base = await packed();
    const withGraph = await packed('--use-graph');
    expect(laneOf(withGraph)).toMatchObject({ status: 'answered' });
    expect(withGraph.items.some(({ via }) => via !== null)).toBe(true);
    for (const { via } of withGraph.items) if (via !== null) expect(withGraph.text).toContain(`(${via})`);
    expect((await packed('--graph')).text).toBe(withGraph.text);
    for (const flag of ['--no-graph', '--no-use-graph']) {
      const without = await packed(flag);
      expect(without.text).toBe(base.text);
      expect(laneOf(without)).toMatchObject({ status: 'off' });
    }
    const { stdout } = await loci(['pack', 'oven', '--use-graph'], {
      ...options,
      env: { LOCI_GRAPH_ENABLED: 'false' },
    });
    expect(stdout).toContain((await lociJson<PackOutput>(['pack', 'oven'], options)).text);
  });
});
