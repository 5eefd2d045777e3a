import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { renderRestDocs } from '../../scripts/rest-docs.ts';
import { parse } from 'yaml';
import { describeConfig } from '../../src/core/config/keys.ts';
import { ROOT } from './loci-command.ts';
import { startServer } from './rest-server.ts';

const PAGE = readFileSync(`${ROOT}docs/rest.md`, 'utf8');
const run = promisify(execFile);

describe('docs/rest.md', () => {
  it('lists the verbs as `node scripts/rest-docs.ts` writes them', async () => {
    expect(PAGE).toBe(await renderRestDocs());
  });

  it('names settings that there are', () => {
    const named = [...PAGE.matchAll(/`((?:server|auth|log|writes)\.[a-zA-Z.]+)`/g)].map((match) => match[1]);
    expect(named.length).toBeGreaterThan(15);
    const known = describeConfig().map(({ path }) => path);
    expect(named.filter((name) => name !== undefined && !known.includes(name))).toEqual([]);
  });

  it('has examples that work as they stand', async ({ skip }) => {
    if (
      await run('curl', ['--version']).then(
        () => false,
        () => true,
      )
    )
      skip('there is no curl here');
    const server = await startServer();
    const env = {
      PATH: process.env['PATH'],
      LOCI: server.address,
      TOKEN: await server.token('alice', 'write'),
    };
    const blocks = [...PAGE.matchAll(/^```sh\n([^]*?)^```/gm)].map((match) => match[1] ?? '');
    const examples = blocks.filter((block) => block.includes('curl'));
    expect(examples).toHaveLength(6);
    const answers: string[] = [];
    for (const example of examples) answers.push((await run('bash', ['-ec', example], { env })).stdout);
    expect(answers[0]).toContain('"citation":"record/1"');
    expect(answers[1]).toContain('"citation":"record/1"');
    expect(answers[2]).toContain('induction oven');
    expect(answers[3]).toContain('"openapi":"3.1.0"');
    const told = parse(/^```json\n([^]*?)^```/m.exec(PAGE)?.[1] ?? '') as object;
    expect(JSON.parse(answers[4] ?? '')).toMatchObject(told);
    expect(answers[5]).toBe('{"status":"ok"}{"status":"ready"}');
  });
});
