import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import type { PackOutput } from '../../src/operations/packs/pack.ts';
import { receiptSchema } from '../../src/pack/receipt.ts';
import { loadTokenCounter } from '../../src/pack/tokens.ts';
import { copyOfVault, loci, lociJson, temporaryFolder } from './loci-command.ts';
import { connectStdio, textOf } from './mcp-session.ts';
import { startServer } from './rest-server.ts';

const QUERY = 'kitchen remodel oven';

async function homeWithNotes(): Promise<{ readonly home: string }> {
  const options = { home: join(temporaryFolder(), 'home') };
  await loci(['index', copyOfVault()], options);
  return options;
}

describe('loci pack', () => {
  it('prints one fenced text within its budget, with citations that `loci get` reads', async () => {
    const options = await homeWithNotes();
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
    const options = await homeWithNotes();
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

  it('says why there is no text', async () => {
    const options = await homeWithNotes();
    const small = await loci(['pack', QUERY, '--budget', '50'], options);
    expect(small.code).toBe(0);
    expect(small.stdout).toMatch(
      /^Nothing to pack: the budget of 50 tokens is below what one item needs, \d+ tokens\.\n$/,
    );
    const unknown = await loci(['pack', 'zyzzyva'], options);
    expect(unknown.stdout).toBe(
      'Nothing to pack: nothing that is remembered is likely to be about the query.\n',
    );
    const tooLarge = await loci(['pack', QUERY, '--budget', '20001'], options);
    expect(tooLarge.code).toBe(2);
  });

  it('gives the same bytes over MCP and REST', async () => {
    const options = await homeWithNotes();
    const { text } = await lociJson<PackOutput>(['pack', QUERY, '--budget', '700'], options);
    const client = await connectStdio(options);
    const result = await client.callTool({ name: 'memory_pack', arguments: { query: QUERY, budget: 700 } });
    await client.close();
    expect(textOf(result)).toBe(text);
    expect(result.structuredContent).toEqual({ text });
    const server = await startServer({}, options);
    const token = await server.token('default', 'read');
    const body = { query: QUERY, budget: 700 };
    const response = await server.request('/api/v1/memory/pack', { token, body });
    expect(response.json).toMatchObject({ text, receipt: null });
    const { text: withGraph } = await lociJson<PackOutput>(
      ['pack', QUERY, '--budget', '700', '--use-graph'],
      options,
    );
    const expanded = await server.request('/api/v1/memory/pack', {
      token,
      body: { ...body, use_graph: true },
    });
    expect(expanded.json).toMatchObject({ text: withGraph });
  });
});
