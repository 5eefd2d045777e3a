import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loci, type CommandResult, temporaryFolder } from './loci-command.ts';

/** Expects one sentence about the cause and a hint, without a stack trace or an internal code. */
function expectReadableError(
  { code, stdout, stderr }: CommandResult,
  exit: number,
  message: string,
  hint: string,
): void {
  expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
  const [errorLine = '', hintLine = ''] = stderr.split('\n');
  expect(errorLine).toMatch(/^loci: /);
  expect(errorLine).toContain(message);
  expect(hintLine).toContain(hint);
  expect(stderr).not.toMatch(/\bE[A-Z]{3,}\b|errno|syscall|^ +at /m);
}

describe('a wrong path', () => {
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  const file = join(folder, 'file.md');
  mkdirSync(home);
  writeFileSync(file, 'x');

  const storeAt = (path: string) => ({ home, env: { LOCI_STORE_PATH: path } });

  it.each([
    ['a home that is a file', 'status', 8, 'file.md is a file', 'LOCI_HOME', { home: file }],
    [
      'a home below a file',
      'config init',
      8,
      'is a file, or is below one',
      '--home',
      { home: join(file, 'x') },
    ],
    [
      'a store that is a folder',
      'status',
      8,
      ' is a folder, but the store must',
      'store.path',
      storeAt(folder),
    ],
    [
      'a store below a file',
      'write x',
      8,
      'there is a file where a folder',
      'Check',
      storeAt(join(file, 'x/y')),
    ],
    [
      'a store that is another file',
      'write x',
      6,
      'is not a Loci store; it was left',
      'store',
      storeAt(file),
    ],
    ['an input that is a folder', `search --input ${folder}`, 8, 'it is a folder', 'JSON', { home }],
    ['an input that does not exist', `search --input ${file}x`, 8, 'it does not exist', 'JSON', { home }],
    ['a vault below a file', `index ${file}/x`, 8, 'there is a file where a folder', 'Check', { home }],
  ])('is a readable error: %s', async (_, words, exit, message, hint, options) => {
    expectReadableError(await loci(words.split(' '), options), exit, message, hint);
  });

  it('is a readable error: a folder in place of loci.yaml', async () => {
    const otherHome = temporaryFolder();
    mkdirSync(join(otherHome, 'loci.yaml'));
    for (const words of ['status', 'config set search.limit 3']) {
      const result = await loci(words.split(' '), { home: otherHome });
      expectReadableError(result, 8, 'it is a folder, not a file', 'Move the folder away');
    }
    expect(readdirSync(otherHome)).toEqual(['loci.yaml']);
    expect(readFileSync(file, 'utf8')).toBe('x');
  });
});

describe('settings that are not YAML', () => {
  const home = temporaryFolder();

  it.each([
    ['search:\n\tlimit: 3\n', ':2:1: this is not YAML: lines must be indented with spaces'],
    ['search:\n  limit: 3\n limit: 2\n', ':3:1: this is not YAML: this line is not indented like the others'],
    ['search: {limit: 3\n', 'or a bracket above is not closed'],
    ['project: a\nproject: b\n', ':2:1: this is not YAML: this key occurs twice'],
    ['project: "a\nnamespace: b\n', 'a quote, bracket, comma or colon is missing'],
    ['search: limit: 3\n', ':1:9: this is not YAML: there are two keys on one line'],
    ['search\n  limit: 3\nproject: a\n', 'a colon is missing'],
    ['project: @home\n', 'must be in quotes'],
    ['project: "C:\\x"\n', 'a backslash in double quotes must be written twice'],
    ['project: *home\n', 'text that begins with * must be in quotes'],
  ])('are a readable error with the position and the cause: %j', async (text, message) => {
    writeFileSync(join(home, 'loci.yaml'), text);
    expectReadableError(await loci(['status'], { home }), 3, message, 'orrect');
  });
});
