import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { letterVectors, OLLAMA, startProvider } from '../embedding/provider-server.ts';
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

describe('loci doctor golden', () => {
  it('records what a file does not expect yet, compares the rest, and its exit code says that something is missing', async () => {
    writeFileSync(
      file,
      '# Mine\nqueries:\n  - query: oven # the door\n  - query: marzipan\n    expected: [record/1]\n',
    );
    const first = await loci(['doctor', 'golden', file], { home });
    expect(first).toMatchObject({
      code: 0,
      stdout: '2 queries, 1 recorded now, 0 expected results missing; recall@10 1.000, MRR 1.000\n',
    });
    const recorded = readFileSync(file, 'utf8');
    expect(recorded).toBe(
      '# Mine\nqueries:\n  - query: oven # the door\n    expected:\n      - Oven.md\n      - Stove.md\n' +
        '  - query: marzipan\n    expected: [ record/1 ]\n',
    );
    expect(await loci(['doctor', 'golden', file], { home })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(recorded);
    rmSync(join(folder, 'notes/Oven.md'));
    write('Range.md', '# Range\n\nAn oven, and another oven.\n');
    await loci(['index', join(folder, 'notes')], { home });
    const after = await loci(['doctor', 'golden', file], { home });
    expect(after.code).toBe(1);
    expect(after.stdout).toMatch(/Oven\.md +1 +missing/);
    expect(after.stdout).toMatch(/Range\.md +not expected +\d/);
    expect(after.stdout).toContain('2 expected results missing; recall@10 0.250');
    expect(await loci(['doctor', 'golden', file, '--record'], { home })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toMatch(/# Mine[^]*Range\.md/);
    expect(await loci(['doctor', 'golden', file], { home })).toMatchObject({ code: 0 });
  });

  it('names a query that no search accepts, runs the others, and refuses a file of another form', async () => {
    writeFileSync(file, 'queries: [{ query: "  " }, { query: oven, expected: [Oven.md] }]');
    const { code, stdout, stderr } = await loci(['doctor', 'golden', file], { home });
    expect([code, stdout]).toEqual([1, expect.stringContaining('1 query, 0 recorded now') as string]);
    expect(stderr).toContain('"  " was left out: the query is empty');
    for (const [text, message] of [
      ['queries: oven', 'queries: '],
      ['queries: [', 'has no golden queries'],
      ['[]', 'has no golden queries'],
    ] as const) {
      writeFileSync(file, text);
      expect(await loci(['doctor', 'golden', file], { home })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(message) as string,
      });
    }
    expect((await loci(['doctor', 'golden', join(folder, 'none')], { home })).code).toBe(8);
  });

  it('keeps the mode and the line ends of the file, and a query that should find nothing expects nothing', async () => {
    writeFileSync(file, 'queries:\r\n  - query: marzipan\r\n  - query: oven\r\n    expected: []\r\n');
    chmodSync(file, 0o640);
    const { code, stdout } = await loci(['doctor', 'golden', file], { home });
    expect([code, stdout]).toEqual([0, expect.stringContaining('2 queries, 1 recorded now') as string]);
    expect(stdout).toMatch(/Oven\.md +not expected/);
    expect(readFileSync(file, 'utf8')).toBe(
      'queries:\r\n  - query: marzipan\r\n    expected:\r\n      - Oven.md\r\n  - query: oven\r\n    expected: []\r\n',
    );
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it.skipIf(process.platform === 'win32')(
    'refuses a FIFO, bytes that are no text, and aliases, and changes nothing',
    async () => {
      const fifo = join(folder, 'fifo');
      expect(spawnSync('mkfifo', [fifo]).status).toBe(0);
      expect(await loci(['doctor', 'golden', fifo], { home })).toMatchObject({
        code: 8,
        stderr: expect.stringContaining('it is not a regular file') as string,
      });
      const bomb = `a0: &a0 [x]\n${Array.from({ length: 9 }, (_, i) => `a${String(i + 1)}: &a${String(i + 1)} [${`*a${String(i)}, `.repeat(10)}]`).join('\n')}\nqueries: *a9\n`;
      for (const [bytes, code, message] of [
        [Buffer.from('# caf\xe9\nqueries:\n  - query: oven\n', 'latin1'), 8, 'it is not UTF-8 text'],
        [
          Buffer.from('queries:\n  - &a\n    query: oven\n  - *a\n'),
          2,
          'queries.1: results cannot be recorded below an alias',
        ],
        [Buffer.from(bomb), 2, 'Excessive alias count'],
      ] as const) {
        writeFileSync(file, bytes);
        expect(await loci(['doctor', 'golden', file], { home })).toMatchObject({
          code,
          stderr: expect.stringContaining(message) as string,
        });
        expect(readFileSync(file).equals(bytes)).toBe(true);
      }
    },
  );

  it('records nothing in a file that was changed while it ran', async () => {
    writeFileSync(file, 'queries:\n  - query: oven\n');
    const server = await startProvider({
      format: OLLAMA,
      embed: (texts, request) => {
        if (texts.some((text) => text.includes('oven') && !text.includes('old')))
          writeFileSync(file, '# Mine.\nqueries:\n  - query: oven\n');
        return letterVectors(384)(texts, request);
      },
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const env = {
      LOCI_EMBEDDING_PROVIDER: 'ollama',
      LOCI_EMBEDDING_MODEL: 'all-minilm',
      LOCI_EMBEDDING_URL: server.origin,
    };
    await loci(['embed', 'backfill'], { home, env });
    writeFileSync(file, 'queries:\n  - query: oven\n');
    expect(await loci(['doctor', 'golden', file], { home, env })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('was changed meanwhile') as string,
    });
    expect(readFileSync(file, 'utf8')).toBe('# Mine.\nqueries:\n  - query: oven\n');
  });
});
