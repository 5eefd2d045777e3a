import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { renderRestDocs } from '../../scripts/rest-docs.ts';
import { parse } from 'yaml';
import { CONFIG_KEYS } from '../../src/config/keys.ts';
import { loci, ROOT, temporaryFolder } from './loci-command.ts';
import { startServerProcess } from './server-process.ts';

const PAGE = readFileSync(`${ROOT}docs/rest.md`, 'utf8');
const run = promisify(execFile);
const blocks = [...PAGE.matchAll(/^```sh\n([^]*?)^```/gm)].map((match) => match[1] ?? '');

function linesOf(block = ''): string[] {
  return block.trim().split('\n');
}

/** The words of a command line without a leading `loci`. */
function argumentsOf(commandLine: string): string[] {
  return commandLine.replace(/^loci /, '').split(' ');
}

describe('docs/rest.md', () => {
  it('has the list of operations that `node scripts/rest-docs.ts` writes', async () => {
    expect(PAGE).toBe(await renderRestDocs());
  });

  it('names only settings that exist', () => {
    const namedSettings = [...PAGE.matchAll(/`((?:server|auth|log|writes)\.[a-zA-Z.]+)`/g)].map(
      (match) => match[1],
    );
    expect(namedSettings.length).toBeGreaterThan(10);
    const existingSettings = CONFIG_KEYS.map(({ path }) => path);
    expect(namedSettings.filter((name) => name !== undefined && !existingSettings.includes(name))).toEqual(
      [],
    );
  });

  it('has examples that work without changes', async ({ skip }) => {
    const hasCurl = await run('curl', ['--version']).then(
      () => true,
      () => false,
    );
    if (!hasCurl) skip('there is no curl here');
    const home = temporaryFolder();
    let token = '';
    for (const line of linesOf(blocks[0]).slice(0, -1)) {
      const { code, stdout } = await loci(argumentsOf(line), { home });
      expect([line, code]).toEqual([line, 0]);
      token = /loci_\S+/.exec(stdout)?.[0] ?? token;
    }
    expect(linesOf(blocks[0]).at(-1)).toBe('loci serve');
    const server = await startServerProcess(home, { LOCI_WRITES_ENABLED: '' });
    const env = { PATH: process.env['PATH'], LOCI: server.address, TOKEN: token };
    const examples = blocks.filter((block) => block.includes('curl'));
    expect(examples).toHaveLength(7);
    const outputs: string[] = [];
    for (const example of examples) outputs.push((await run('bash', ['-ec', example], { env })).stdout);
    expect(outputs[0]).toContain('"citation":"record/1"');
    expect(outputs[1]).toContain('"citation":"record/1"');
    expect(outputs[2]).toContain('induction oven');
    expect(outputs[3]).toContain('"openapi":"3.1.0"');
    expect(outputs[4]).toMatch(/^event: result\ndata: \{"query":"oven",.*\n\n$/);
    const documented = parse(/^```json\n([^]*?)^```/m.exec(PAGE)?.[1] ?? '') as object;
    expect(JSON.parse(outputs[5] ?? '')).toMatchObject(documented);
    expect(outputs[6]).toBe('{"status":"ok"}{"status":"ready"}');
  });
});
