import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GetOutput } from '../../src/engine/records/get.ts';
import type { IndexOutput } from '../../src/operations/nouns/index-notes.ts';
import { createContext } from '../../src/operations/context.ts';
import { parseInput } from '../../src/operations/shared/input.ts';
import { recordOperations } from '../../src/operations/nouns/records.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import { nodeBoundByModes, NOT_BOUND_BY_MODES } from '../bound-by-modes.ts';
import { loci, lociJson, MAIN, startLoci, temporaryFolder } from '../e2e/loci-command.ts';

describe('a query', () => {
  const home = temporaryFolder();

  beforeAll(async () => {
    await loci(['write', 'The oven is an induction oven. NEAR the window, AND white. 🍳 a frying pan.'], {
      home,
    });
    await loci(['write', 'What was it that they were and will be?', '--title', 'To be or not'], { home });
  });

  // One open store for all cases that do not test the command line itself.
  const context = createContext({
    caller: { surface: 'cli', trust: 'operator' },
    home,
    inlineStore: true,
    env: { LOCI_EMBEDDING_PROVIDER: 'none' },
  });
  afterAll(() => context.close());
  const runQuery = (query: string) =>
    recordOperations.search.run(context, parseInput(recordOperations.search, { query, min_score: 0 }));

  it.each([
    ['of one word of 100,000 characters', `oven ${'x'.repeat(100_000)}`],
    ['of operators of full-text search', 'oven AND (NOT "white" OR NEAR(a b, 2)) * ^ - : title:oven {a b} "'],
    ['with NUL bytes', 'oven\0\0window'],
    ['with emoji', '🍳 👩‍👩‍👧‍👦 oven 🇳🇴'],
    ['with SQL', `oven'; DROP TABLE record; --`],
  ])('%s finds the matching record', async (_, query) => {
    const { results } = await runQuery(query);
    expect(results[0]?.snippet).toContain('induction oven');
  });

  it.each([
    ['of punctuation', '?!… --- ***'],
    ['of emoji that no record contains', '🦄🦄'],
  ])('%s finds nothing and is no error', async (_, query) => {
    expect((await runQuery(query)).results).toEqual([]);
  });

  it('with half a surrogate pair is searched without it', async () => {
    const stdin = '{"query": "\\ud800 oven \\udc00\\ud800"}';
    const output = await lociJson<SearchOutput>(['search', '--input', '-'], { home, stdin });
    expect(output).toMatchObject({ query: '\ud800 oven \udc00\ud800', results: [{ rank: 1 }] });
  });

  it('may be as long as the command line allows, and longer from standard input', async () => {
    const { ended } = startLoci(['search', 'oven '.repeat(20_000), '--json'], { home });
    expect(await ended).toMatchObject({ code: 0 });
    const stdin = `oven\0 ${'\u001b[2J'.repeat(1000)}`;
    const { code, stdout } = await loci(['search', '-'], { home, stdin });
    expect(code).toBe(0);
    expect(stdout).toContain('induction oven');
  });
});

describe('content', () => {
  const home = temporaryFolder();

  it('that is too long or has control characters is rejected and not stored', async () => {
    const control = await loci(['write', '-'], { home, stdin: 'a\0b' });
    expect(control.code).toBe(2);
    expect(control.stderr).toContain('content has the control character U+0000 at offset 1');
    const long = await loci(['write', '-'], { home, stdin: 'x'.repeat(1_048_577) });
    expect(long.code).toBe(2);
    expect(long.stderr).toContain('must be text of at most 1048576 characters');
    const inBytes = await loci(['write', '-'], { home, stdin: 'ä'.repeat(524_289) });
    expect(inBytes.code).toBe(2);
    expect(inBytes.stderr).toContain('content has 1048578 bytes');
    const endless = await loci(['write', '-'], { home, stdin: Buffer.alloc(17 * 1024 * 1024, 'y') });
    expect(endless.code).toBe(2);
    expect((await lociJson<SearchOutput>(['search', 'a b x y'], { home })).results).toEqual([]);
  });
});

describe('a vault', () => {
  it('with unreadable files is indexed without them, and reports them', async () => {
    const home = temporaryFolder();
    const vault = join(temporaryFolder(), 'vault');
    const outside = temporaryFolder();
    mkdirSync(vault);
    writeFileSync(join(outside, 'secret.md'), 'The ocelot is a secret.');
    writeFileSync(join(vault, 'good.md'), 'The ocelot sleeps.');
    writeFileSync(join(vault, 'latin.md'), Buffer.from('The ocelot likes caf\xe9.', 'latin1'));
    writeFileSync(join(vault, 'picture.md'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0xff, 0]));
    writeFileSync(join(vault, 'huge.md'), '');
    truncateSync(join(vault, 'huge.md'), 100_000_000);
    symlinkSync(join(outside, 'secret.md'), join(vault, 'link.md'));
    symlinkSync(outside, join(vault, 'folder'));
    symlinkSync(vault, join(vault, 'circle'));
    for (let n = 0; n < 12; n++)
      writeFileSync(join(vault, `broken ${String(n)}.md`), '---\ntags: [a\n---\ntext\n');
    const { code, stdout } = await loci(['index', vault], { home });
    expect(code).toBe(0);
    expect(stdout).toContain('… and 7 more; --verbose shows all');
    writeFileSync(join(vault, 'new.md'), 'The ocelot is new.');
    const { vaults } = await lociJson<IndexOutput>(['index'], { home });
    const reasons = new Map(vaults[0]?.problems.map(({ path, reason }) => [path, reason]));
    expect(Object.fromEntries(reasons)).toMatchObject({
      'huge.md': 'too_large',
      'link.md': 'outside_root',
      folder: 'outside_root',
    });
    const { results } = await lociJson<SearchOutput>(['search', 'ocelot'], { home });
    expect(results.map(({ title }) => title).sort()).toEqual(['good', 'latin', 'new']);
    for (const path of [
      'link.md',
      'folder/secret.md',
      '../secret.md',
      join(outside, 'secret.md'),
      'picture.md',
    ]) {
      expect(await loci(['get', path], { home })).toMatchObject({ code: 4, stdout: '' });
    }
    const latin = await lociJson<GetOutput>(['get', 'latin.md'], { home });
    expect(latin.text).toContain('caf');
  });

  it('without read permission keeps its indexed notes', async ({ skip }) => {
    const node = nodeBoundByModes() ?? skip(NOT_BOUND_BY_MODES);
    const home = temporaryFolder();
    const vault = join(temporaryFolder(), 'vault');
    const closed = join(vault, 'closed');
    mkdirSync(closed, { recursive: true });
    writeFileSync(join(vault, 'open.md'), 'The lynx is here.');
    writeFileSync(join(closed, 'note.md'), 'The lynx is there.');
    const run = async (...args: string[]) =>
      startLoci([...args, '--json'], { home }, [...node.leadingArgs, MAIN], node.program).ended;
    expect(await run('index', vault)).toMatchObject({ code: 0 });
    chmodSync(closed, 0o000);
    const partial = JSON.parse((await run('index')).stdout) as IndexOutput;
    expect(partial.vaults).toMatchObject([
      { removed: 0, problems: [{ path: 'closed', reason: 'unreadable' }] },
    ]);
    chmodSync(vault, 0o000);
    const refused = await run('index');
    expect(refused.code).toBe(8);
    expect(refused.stdout).toContain('"unreadable"');
    const { results } = JSON.parse((await run('search', 'lynx')).stdout) as SearchOutput;
    expect(results).toHaveLength(2);
    chmodSync(vault, 0o700);
    chmodSync(closed, 0o700);
  });
});
