import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/types.ts';
import { copyOfVault, loci, MAIN, temporaryFolder } from './loci-command.ts';
import { serverEnvironment, textOf } from './mcp-session.ts';

type Input = Readonly<Record<string, Json>>;

const OPTIONAL_TOOLS = [
  ...['memory_records', 'memory_corpus', 'startup_list', 'startup_preview'],
  ...['graph_status', 'graph_index', 'graph_pack', 'graph_show', 'graph_path'],
  'graph_concepts',
  ...[
    'memory_timeline',
    'memory_recall',
    'memory_list',
    'memory_categories',
    'memory_sources',
    'startup_inject',
  ],
];
const CALLS: readonly (readonly [tool: string, input: Input])[] = [
  ['memory_search', { query: 'kitchen remodel' }],
  ['memory_search', { query: 'kitchen remodel', explain: true }],
  ['memory_search', { query: 'oven induction choice', limit: 3 }],
  ['memory_get', { citation: 'Home/Kitchen remodel.md' }],
  ['memory_get', { citation: 'Home/Kitchen remodel.md#L17-L25' }],
  ['memory_get', { citation: 'record/61' }],
  ['memory_pack', { query: 'kitchen remodel' }],
  ['memory_pack', { query: 'oven', budget: 500, use_graph: true }],
  ['memory_timeline', { anchor: 'Home/Kitchen remodel.md' }],
  ['memory_records', {}],
  ['memory_recall', { key: 'preferred_framework' }],
  ['memory_list', {}],
  ['memory_categories', {}],
  ['memory_corpus', {}],
  ['memory_sources', {}],
  ['startup_inject', { model: 'opus' }],
  ['startup_preview', { model: 'opus' }],
  ['startup_list', {}],
  ['graph_status', {}],
  ['graph_index', { query: 'kitchen remodel' }],
  ['graph_pack', { nodes: ['Kitchen remodel', 'nowhere'] }],
  ['graph_show', { nodes: ['Kitchen remodel', '#kitchen', 'nowhere'] }],
  ['graph_show', { nodes: ['Kitchen remodel'], depth: 2 }],
  ['graph_path', { from: 'Kitchen remodel', to: 'Contractor quotes' }],
  ['graph_concepts', {}],
];

let client: Client;
let schemas: ReadonlyMap<string, object>;

beforeAll(async () => {
  const home = temporaryFolder();
  await loci(['index', copyOfVault()], { home });
  const entry =
    'Answer in metric units. The household speaks English, Igbo and Norwegian; letters to the school are in English. ' +
    'Money is in dollars, and dates are written as 20 November.';
  await loci(['startup', 'set', 'units', entry], { home });
  client = new Client({ name: 'reader', version: '1.0.0' });
  const env = { LOCI_MCP_TOOLS: JSON.stringify(OPTIONAL_TOOLS), LOCI_GRAPH_DEADLINE: '0' };
  const server = { command: process.execPath, args: [MAIN, 'mcp'], env: serverEnvironment({ home, env }) };
  await client.connect(new StdioClientTransport(server));
  // From then on, the client validates structured content.
  const { tools } = await client.listTools();
  schemas = new Map(tools.map(({ name, outputSchema }) => [name, outputSchema?.properties ?? {}]));
  const content = 'The oven is induction.\nIt needs a circuit of 32 A.';
  await call('memory_write', { content, title: 'Oven choice', tags: ['kitchen'] });
  await call('memory_store', { key: 'preferred_framework', value: 'SolidJS' });
});
afterAll(() => client.close());

/** The structured content and the text of a result. */
async function call(tool: string, input: Input): Promise<{ readonly fields: Fields; readonly text: string }> {
  const result = (await client.callTool({ name: tool, arguments: input })) as CallToolResult;
  const text = textOf(result);
  if (result.isError === true) throw new Error(text);
  return { fields: result.structuredContent as Fields, text };
}

interface Fields {
  readonly notice?: string;
  readonly results?: readonly { readonly citation: string }[];
  readonly records?: readonly { readonly citation: string }[];
  readonly next?: number;
  readonly nodes?: readonly { readonly edges: readonly { readonly id: string }[] }[];
}

describe('structured content', () => {
  it.each(CALLS)('of %s %j is hardly longer than the text, and is declared', async (tool, input) => {
    const { fields, text } = await call(tool, input);
    expect(JSON.stringify(fields).length / text.length).toBeLessThanOrEqual(1.1);
    expect(Object.keys(schemas.get(tool)!)).toEqual(expect.arrayContaining(Object.keys(fields)));
  });

  it('of every tool that only reads is among these', async () => {
    const { tools } = await client.listTools();
    const reading = tools.flatMap(({ name, annotations }) => (annotations?.readOnlyHint ? [name] : []));
    expect(new Set(CALLS.map(([tool]) => tool))).toEqual(new Set([...reading, 'startup_inject']));
  });

  it('of a search has what was found, who wrote it, where and when, and nothing twice', async () => {
    const { fields } = await call('memory_search', { query: 'kitchen remodel' });
    expect(fields.results).toHaveLength(10);
    expect(fields.results![0]).toEqual({
      citation: expect.stringMatching(/^Home\/Kitchen remodel\.md#L/) as string,
      title: 'Kitchen remodel',
      headings: expect.any(String) as string,
      // Without Markdown.
      text: expect.stringMatching(/^\p{L}[^#[\]*]+$/u) as string,
      also: expect.stringMatching(/^L\d+–L\d+ /) as string,
      score: expect.any(Number) as number,
      age: expect.stringMatching(/ago|just now/) as string,
      trust: 'operator',
      source: 'vault',
      tags: ['home', 'kitchen', 'project/active', 'insurance'],
    });
  });

  it('has what the next call needs', async () => {
    const { fields: found } = await call('memory_search', { query: 'kitchen remodel' });
    for (const { citation } of found.results!)
      expect((await call('memory_get', { citation })).fields).toMatchObject({
        citation,
        lines: expect.stringMatching(/^\d+-\d+ of \d+$/) as string,
      });
    const { fields: written } = await call('memory_search', { query: 'oven choice', origins: ['memory'] });
    await call('memory_update', { id: written.results![0]!.citation.replace(/#.*/, ''), title: 'The oven' });
    const { fields: page } = await call('memory_records', { limit: 5 });
    const { fields: nextPage } = await call('memory_records', { limit: 5, after: page.next! });
    expect(nextPage.records![0]).not.toEqual(page.records![0]);
    const { fields: shown } = await call('graph_show', { nodes: ['Kitchen remodel'] });
    const ids = shown.nodes![0]!.edges.map(({ id }) => id);
    expect((await call('graph_pack', { nodes: ids.slice(0, 5) })).fields.notice).toBeUndefined();
  });
});
