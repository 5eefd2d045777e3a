import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Fault, letterVectors, OLLAMA, startProvider } from '../embedding/provider-server.ts';
import { loci, temporaryFolder } from './loci-command.ts';

let home: string;
let folder: string;
let file: string;
const write = (name: string, text: string): void => {
  writeFileSync(join(folder, 'notes', name), text);
};

beforeEach(async () => {
  folder = temporaryFolder();
  home = join(folder, 'home');
  file = join(folder, 'golden.yaml');
  mkdirSync(join(folder, 'notes'));
  write('Oven.md', '# Oven\n\nThe oven door has a marzipan handle.\n');
  write('Stove.md', '# Stove\n\nThere is an old oven beside it.\n');
  await loci(['index', join(folder, 'notes')], { home });
});

describe('loci golden', () => {
  it('records what a file does not expect yet, compares the rest, and its exit code says that something is missing', async () => {
    writeFileSync(
      file,
      '# Mine\nqueries:\n  - query: oven # the door\n  - query: marzipan\n    expected: [record/1]\n',
    );
    const first = await loci(['golden', file], { home });
    expect(first).toMatchObject({
      code: 0,
      stdout: '2 queries, 1 recorded now, 0 expected results missing; recall@10 1.000, MRR 1.000\n',
    });
    const recorded = readFileSync(file, 'utf8');
    expect(recorded).toBe(
      '# Mine\nqueries:\n  - query: oven # the door\n    expected:\n      - Oven.md\n      - Stove.md\n' +
        '  - query: marzipan\n    expected: [ record/1 ]\n',
    );
    expect(await loci(['golden', file], { home })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(recorded);
    rmSync(join(folder, 'notes/Oven.md'));
    write('Range.md', '# Range\n\nAn oven, and another oven.\n');
    await loci(['index', join(folder, 'notes')], { home });
    const after = await loci(['golden', file], { home });
    expect(after.code).toBe(1);
    expect(after.stdout).toContain('- Oven.md, 1 → missing');
    expect(after.stdout).toContain('+ Range.md, ');
    expect(after.stdout).toContain('2 expected results missing; recall@10 0.250');
    expect(await loci(['golden', file, '--record'], { home })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toMatch(/# Mine[^]*Range\.md/);
    expect(await loci(['golden', file], { home })).toMatchObject({ code: 0 });
  });

  it('names a query that no search accepts, runs the others, and refuses a file of another form', async () => {
    writeFileSync(file, 'queries: [{ query: "  " }, { query: oven, expected: [Oven.md] }]');
    const { code, stdout, stderr } = await loci(['golden', file], { home });
    expect([code, stdout]).toEqual([1, expect.stringContaining('1 query, 0 recorded now') as string]);
    expect(stderr).toContain('"  " was left out: the query is empty');
    for (const [text, message] of [
      ['queries: oven', 'queries: '],
      ['queries: [', 'has no golden queries'],
      ['[]', 'has no golden queries'],
    ] as const) {
      writeFileSync(file, text);
      expect(await loci(['golden', file], { home })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(message) as string,
      });
    }
    expect((await loci(['golden', join(folder, 'none')], { home })).code).toBe(8);
  });

  it('says that the search lacks a signal whose places it records', async () => {
    const server = await startProvider({ format: OLLAMA, embed: letterVectors(384) });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const env = {
      LOCI_EMBEDDING_PROVIDER: 'ollama',
      LOCI_EMBEDDING_MODEL: 'all-minilm',
      LOCI_EMBEDDING_URL: server.origin,
    };
    await loci(['index'], { home, env });
    const broken: Fault = { status: 500, body: { error: 'out of memory' } };
    server.faults.push(broken, broken);
    writeFileSync(file, 'queries: [{ query: oven }]');
    const { code, stderr } = await loci(['golden', file], { home, env });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/vector: .*HTTP 500/) as string]);
  });
});
