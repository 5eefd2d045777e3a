import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/contract/engines.ts';
import { createContext, type OpenContext } from '../../operations/context.ts';
import type { ListOutput } from '../../engine/records/list.ts';
import { OPERATIONS } from '../../operations/registry.ts';
import { parseInput } from '../../operations/shared/input.ts';
import type { SearchOutput } from '../../engine/records/results/search-fields.ts';
import type { HostReader } from '../shared/host-reader.ts';
import { runForReader } from './run-for-reader.ts';
import { indexVaults } from '../../engine/reading/index-vaults.ts';
import { write } from '../../engine/records/write.ts';

const AGENT = 'agent:main';

describe('an agent that reads its own namespace and a shared one', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let context: OpenContext;
  let reader: HostReader;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const vault = join(folder.path, 'workspace');
    mkdirSync(vault);
    writeFileSync(join(vault, 'MEMORY.md'), 'The stopcock turns left.');
    writeFileSync(join(vault, '2025-02-11.md'), 'The collection day of the paper bin is Monday.');
    context = createContext({
      home: folder.path,
      inlineStore: true,
      env: { LOCI_EMBEDDING_PROVIDER: 'none' },
      caller: { surface: 'cli', trust: 'operator', namespace: AGENT },
    });
    const vaults = [{ name: 'workspace of main', path: vault }];
    reader = { namespace: AGENT, shared: ['default', 'house'], vaults };
    const loci = await context.loci({ create: true });
    await indexVaults(loci, { vaults });
    await write(loci, { content: 'The stopcock is old.' });
    const owner = loci.as({ ...loci.caller, namespace: 'default' });
    for (const place of ['under the stairs', 'behind the boiler'])
      await write(owner, { content: `A stopcock is ${place}.` });
    await write(owner, { content: 'The day of the paper bin is Thursday.' });
    await write(loci.as({ ...loci.caller, namespace: 'other' }), {
      content: 'The stopcock of somebody else.',
    });
  });

  afterAll(async () => {
    await context.close();
    await folder[Symbol.asyncDispose]();
  });

  async function run<Output>(name: string, given: object): Promise<Output> {
    const operation = await OPERATIONS.find((each) => each.name === name)!.load();
    const input = parseInput(operation, given);
    return (await runForReader(operation, { ...context, vaults: reader.vaults }, input, reader)) as Output;
  }

  it('finds the records of both, and `get` accepts the citations', async () => {
    const { results, nothing } = await run<SearchOutput>('search', { query: 'stopcock' });
    const citations = results.map(({ citation }) => citation);
    expect(citations.toSorted()).toEqual([
      'MEMORY.md#L1-L1',
      'default:record/1',
      'default:record/2',
      'record/3',
    ]);
    expect(results.map(({ rank }) => rank)).toEqual([1, 2, 3, 4]);
    expect(nothing).toBeNull();
    const read = await run('get', { citation: 'default:record/1' });
    expect(read).toMatchObject({
      citation: 'default:record/1',
      text: 'A stopcock is under the stairs.',
    });
    expect(await run('search', { query: 'stopcock', limit: 2 })).toMatchObject({ results: { length: 2 } });
  });

  it('puts what was said later in another namespace first, and the earlier result names it', async () => {
    const query = 'collection day of the paper bin';
    const { results } = await run<SearchOutput>('search', { query, explain: true });
    const [later, earlier] = results;
    expect(results.map(({ citation }) => citation)).toEqual(['default:record/3', '2025-02-11.md#L1-L1']);
    expect(later).toMatchObject({ rank: 1, score: earlier!.score });
    expect(later).not.toHaveProperty('later');
    expect(later?.why).toContain('newer');
    expect(later?.explanation?.score.parts.map(({ name }) => name)).toContain('newer');
    expect(earlier?.later).toMatchObject({ citation: 'default:record/3' });
    const past = await run<SearchOutput>('search', { query: `what was ${query} before` });
    expect(past.results.map(({ citation }) => citation)).toEqual(['2025-02-11.md#L1-L1', 'default:record/3']);
    expect(past.results.filter((each) => 'later' in each)).toEqual([]);
  });

  it('says that nothing is there only if that is so in every namespace', async () => {
    const { nothing, unmatched } = await run<SearchOutput>('search', { query: 'zebra', tags: ['stripes'] });
    expect(nothing).toMatchObject({ empty: false, unmet_filters: ['tags'] });
    expect(unmatched).toMatchObject([{ filter: 'tag', value: 'stripes' }]);
  });

  it.each([1, 2, 3, 20])('lists every record once, in pages of %i', async (limit) => {
    const citations: string[] = [];
    for (let after: number | null | undefined; after !== null;) {
      const page: ListOutput = await run('list', { limit, ...(after !== undefined && { after }) });
      expect(page.total).toBe(6);
      citations.push(...page.records.map(({ citation }) => citation));
      after = page.next;
    }
    expect(citations).toEqual([
      ...['record/3', 'MEMORY.md', '2025-02-11.md'],
      ...['default:record/3', 'default:record/2', 'default:record/1'],
    ]);
  });

  it('knows the files of the workspace, and does not ask for them to be configured', async () => {
    expect(await run('status', {})).toMatchObject({
      namespace: AGENT,
      records: 3,
      vaults: [{ name: 'workspace of main', records: 2, changes: { added: 0, changed: 0, gone: 0 } }],
      unconfigured_vaults: [],
      shared: [
        { namespace: 'default', records: 3, unconfigured_vaults: [] },
        { namespace: 'house', records: 0 },
      ],
    });
  });
});
