import { describe, expect, it } from 'vitest';
import type { GraphIndexOutput } from '../../src/engine/packs/graph-index.ts';
import type { GraphPackOutput } from '../../src/engine/packs/graph-pack.ts';
import { receiptSchema } from '../../src/pack/receipt.ts';
import { loadTokenCounter } from '../../src/pack/tokens.ts';
import { indexedHomes, loci, lociJson } from './loci-command.ts';

const QUERY = 'kitchen remodel oven';
/** A busy machine may take longer than the usual deadline. */
const ENV = { LOCI_GRAPH_DEADLINE: '0', LOCI_MCP_TOOLS: '["graph_index","graph_pack"]' };

const indexedHome = indexedHomes();

describe('loci graph index', () => {
  it('prints 800 to 1,000 tokens about a query, whose ids `loci graph pack` takes', async () => {
    const options = { home: indexedHome(), env: ENV };
    const command = ['graph', 'index', ...QUERY.split(' '), '--budget', '1000', '-n', '15', '--trace'];
    const index = await lociJson<GraphIndexOutput>(command, options);
    const count = await loadTokenCounter();
    expect(index.budget).toEqual({ tokens: 1000, used: count(index.text), tokenizer: 'o200k_base' });
    expect(index.budget.used).toBeGreaterThan(800);
    expect(index.budget.used).toBeLessThanOrEqual(1000);
    expect(index.text).toMatch(/^<loci-pack id="([0-9a-f]{6})">\n[\s\S]+\n<\/loci-pack id="\1">$/);
    expect(index.candidates.map(({ title }) => title)).toContain('Kitchen remodel');
    expect(index.expansions.length).toBeGreaterThan(2);
    for (const { why_relevant: why } of [...index.candidates, ...index.expansions])
      expect(why).toMatch(/^(?:has ‘|similar|linked from|links to|mention|part of|tagged|has a tag)/);
    expect(receiptSchema.parse(index.receipt).kind).toBe('graph_index');
    const ids = [...index.candidates.slice(0, 2), index.expansions[0]!].map(({ id }) => id);
    const pack = await lociJson<GraphPackOutput>(
      ['graph', 'pack', ...ids, 'nowhere', '--depth', '0'],
      options,
    );
    expect(pack.candidates.map(({ id }) => id)).toEqual(ids);
    expect(pack.unknown).toMatchObject([{ name: 'nowhere' }]);
    const shown = await loci(['receipt', 'show', pack.receipt_id!], options);
    expect(shown.code).toBe(0);
  });
});

describe('loci graph pack', () => {
  it('says why there is no text, which nodes are unknown, and what is out of range', async () => {
    const options = { home: indexedHome(), env: ENV };
    const small = await loci(['graph', 'pack', 'Kitchen remodel', '--budget', '40'], options);
    expect(small.stdout).toMatch(
      /^Nothing to show: the budget of 40 tokens is below what one item needs, \d+ tokens\.\n$/,
    );
    const unknown = await loci(['graph', 'pack', 'nowhere'], options);
    expect(unknown.code).toBe(4);
    expect(unknown.stderr).toContain('"nowhere"');
    const deep = await loci(['graph', 'pack', 'Kitchen remodel', '--depth', '4'], options);
    expect([deep.code, deep.stderr.split('\n')[0]]).toEqual([2, 'loci: --depth must be at most 3, not 4']);
  });
});
