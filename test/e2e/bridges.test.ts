import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';
import { connectStdio, textOf } from './mcp-session.ts';
import { startServer } from './rest-server.ts';

const QUERY = 'oven installation euros';
const LINE = 'via [[Kitchen remodel]] → linked under Oven';
const NOTES: Readonly<Record<string, string>> = {
  'Kitchen remodel.md': '# Oven\n\nThe installation of the oven was discussed. See [[Contractor quotes]].\n',
  'Contractor quotes.md': 'Miller asks 4200 euros for the installation, and Schmidt 3900 euros.\n',
};

it('a result that a better one leads to says so in the command line, over MCP and over REST', async () => {
  const folder = temporaryFolder();
  const options = { home: join(folder, 'home'), columns: 100 };
  mkdirSync(join(folder, 'notes'));
  for (const [path, text] of Object.entries(NOTES)) writeFileSync(join(folder, 'notes', path), text);
  for (let i = 0; i < 8; i++)
    writeFileSync(
      join(folder, 'notes', `Garden ${String(i)}.md`),
      `Roses of row ${String(i)} cost some euros.\n`,
    );
  await loci(['index', join(folder, 'notes')], options);

  const { stdout } = await loci(['search', QUERY], options);
  expect(stdout.split('\n').filter((line) => line.includes('via'))).toEqual([`   ${LINE}`]);
  const via = { title: 'Kitchen remodel', how: 'linked under Oven' };
  const { results } = await lociJson<SearchOutput>(['search', QUERY], options);
  expect(results.map((result) => [result.title, result.via?.title ?? null]).slice(0, 2)).toEqual([
    ['Kitchen remodel', null],
    ['Contractor quotes', 'Kitchen remodel'],
  ]);
  expect(results[1]).toMatchObject({ via: { ...via, id: results[0]!.id } });

  const client = await connectStdio(options);
  const found = await client.callTool({ name: 'memory_search', arguments: { query: QUERY } });
  await client.close();
  expect(textOf(found).split('\n').filter((line) => line.includes('via'))).toEqual([`   ${LINE}`]); // prettier-ignore
  const server = await startServer({}, options);
  const token = await server.token('default', 'read');
  const { json } = await server.request('/api/v1/memory/search', { token, body: { query: QUERY } });
  expect((json as SearchOutput).results[1]).toMatchObject({ title: 'Contractor quotes', via });
});
