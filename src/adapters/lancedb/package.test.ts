import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAdapter } from '../create-adapter.ts';
import { briefly, loadLancedb } from './package.ts';

const COMMAND =
  /npm install --prefix \S+ --omit=optional --ignore-scripts @lancedb\/lancedb@0\.39\.0 @lancedb\/lancedb-\w+-\w+/;

/** A folder with a package that calls itself LanceDB. */
function installation(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'loci-lancedb-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, 'node_modules', name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

function packageOf(version: string, code: string): Record<string, string> {
  return {
    '@lancedb/lancedb/package.json': JSON.stringify({ version, main: 'dist/index.js' }),
    '@lancedb/lancedb/dist/index.js': code,
    'apache-arrow/index.js': '',
  };
}

const NATIVE_LIBRARY = "throw new Error('Cannot find native binding.\\nnpm has a bug')";

describe('loadLancedb', () => {
  it.each([
    ['not installed', {}, / is not installed in \/.+\. Install it with /],
    ['another version', packageOf('0.38.1', ''), /: its version is 0\.38\.1, and Loci needs 0\.39\.0\. /],
    [
      'without a native library',
      packageOf('0.39.2', NATIVE_LIBRARY),
      /: Cannot find native binding\. Install /,
    ],
    ['without Arrow', { ...packageOf('0.39.0', ''), 'apache-arrow/index.js': '}' }, / cannot be loaded: /],
  ])('says what is wrong and how to install it: %s', async (_, files, problem) => {
    const loaded = loadLancedb(installation(files), '/');
    await expect(loaded).rejects.toMatchObject({ code: 'unsupported_runtime' });
    await expect(loaded).rejects.toThrow(problem);
    await expect(loaded).rejects.toThrow(COMMAND);
  });

  it('loads nothing from a folder above the one that is named', async () => {
    const folder = installation(packageOf('0.39.0', "throw new Error('it runs')"));
    await expect(loadLancedb(join(folder, 'missing'), '/')).rejects.toThrow(
      / is not installed in \/.+\/missing\. /,
    );
  });

  it('says which setting names its folder, if that is not set', async () => {
    await expect(loadLancedb(undefined, '/the home')).rejects.toThrow(
      / is not installed beside Loci\..+--prefix "\/the home\/lancedb-package" .+`adapters\.lancedb\.package: /,
    );
  });
});

const SOURCES = '/usr/local/cargo/registry/src/index.crates.io-1949cf8c6b5b557f/lance-12.0.0/src';

it.each([
  ['Cannot find native binding.\nnpm has a bug', 'Cannot find native binding'],
  [
    `lance error: LanceError(IO): no data, ${SOURCES}/utils.rs:108:20  Caused by: LanceError(IO): no data, ${SOURCES}/utils.rs:108:20`,
    'lance error: LanceError(IO): no data',
  ],
  [
    `Not found: /notes/x.lance, ${SOURCES}/result.rs:1896:29, ${SOURCES}/a.rs:1:1`,
    'Not found: /notes/x.lance',
  ],
  [`${'x'.repeat(1000)} (os error 28)`, `${'x'.repeat(140)}…${'x'.repeat(46)} (os error 28)`],
])('a message of LanceDB is short: %.30s', (message, expected) => {
  expect(briefly(new Error(message))).toBe(expected);
});

it('a missing LanceDB is replaced by filesystem, with one warning, and the status says so', async () => {
  const home = installation({});
  const warnings: string[] = [];
  const adapter = await createAdapter(
    { memory: { adapter: 'lancedb' }, adapters: { lancedb: { package: home } } },
    { home, onWarning: (message) => warnings.push(message) },
  );
  expect(adapter.id).toBe('lancedb');
  mkdirSync(join(home, 'notes'));
  writeFileSync(join(home, 'notes', 'x.md'), 'A heron.');
  await adapter.registerPools([{ id: 'notes', tier: 'hot', path: join(home, 'notes') }]);
  for (const query of ['heron', 'egret']) await adapter.recall({ agentId: 'main', query });
  expect(adapter.id).toBe('filesystem');
  expect(adapter.capabilities.semantic).toBe(false);
  expect(warnings).toEqual([
    expect.stringMatching(/^lancedb cannot be used, and filesystem is in its place: .*npm install/),
  ]);
  expect(await adapter.status()).toMatchObject({ ok: false, message: warnings[0] });
  await adapter.close();
});
