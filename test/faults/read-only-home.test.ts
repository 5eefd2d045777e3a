import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open.ts';
import { nodeBoundByModes, NOT_BOUND_BY_MODES } from '../bound-by-modes.ts';
import { settings, temporaryFolder } from '../contract/engines.ts';
import { MAIN } from '../e2e/loci-command.ts';
import { write } from '../../src/engine/records/write.ts';
import { storeFact } from '../../src/engine/facts/facts.ts';
import { showNodes } from '../../src/engine/graph/show-nodes.ts';

const HOUR_MS = 3_600_000;

/** A home with a record and an expired fact, as `cp` copies it while a process has the store open: the last changes are in its log. */
async function copyOfHome(folder: string, names: readonly string[]): Promise<string> {
  const [home, copy] = [join(folder, 'home'), join(folder, 'copy')];
  mkdirSync(copy);
  const loci = await openEngine(settings(home), { now: () => Date.now() - 2 * HOUR_MS });
  await write(loci, { content: 'The oven is induction.', title: 'Oven' });
  await storeFact(loci, { key: 'gone', value: 'The oven code was 7731.', expires: '1h' });
  await showNodes(loci, { nodes: ['record/1'], k: 1 });
  for (const name of names) copyFileSync(join(home, name), join(copy, name));
  await loci.close();
  if (names.length === 1) copyFileSync(join(home, 'loci.db'), join(copy, 'loci.db'));
  writeFileSync(join(copy, 'loci.yaml'), 'embedding:\n  provider: none\n');
  return copy;
}

const STORE = ['loci.db'];
const OPEN_STORE = ['loci.db', 'loci.db-wal', 'loci.db-shm'];

it.for([
  ['a closed store', STORE],
  ['a store whose log has changes', OPEN_STORE],
] as const)('a read-only home answers reads and refuses writes: %s', async ([, names], { skip }) => {
  const { program, leadingArgs } = nodeBoundByModes() ?? skip(NOT_BOUND_BY_MODES);
  await using folder = await temporaryFolder();
  const home = await copyOfHome(folder.path, names);
  const run = (...args: string[]): { code: number | null; printed: string } => {
    const { PATH } = process.env;
    const child = spawnSync(program, [...leadingArgs, MAIN, ...args, '--home', home], {
      encoding: 'utf8',
      env: { PATH, HOME: folder.path },
    });
    return { code: child.status, printed: child.stdout + child.stderr };
  };
  for (const name of readdirSync(home)) chmodSync(join(home, name), 0o400);
  chmodSync(home, 0o500);
  try {
    const found = run('search', 'oven');
    expect(found).toMatchObject({
      code: 0,
      printed: expect.stringContaining('the memory is read-only here') as string,
    });
    expect(found.printed).toContain('The oven is induction.');
    expect(found.printed).not.toContain('7731');
    for (const args of [
      ['get', 'record/1'],
      ['list'],
      ['status'],
      ['pack', 'oven', '--use-graph'],
      ['graph', 'show', 'record/1'],
      ['graph', 'concepts'],
      ['fact', 'list'],
      ['inbox', 'audit'],
      ['doctor'],
      ['export', '--to', join(folder.path, 'export.jsonl')],
    ])
      expect(run(...args), args.join(' ')).toMatchObject({ code: 0 });
    const written = run('write', 'More.');
    expect(written).toMatchObject({
      code: 8,
      printed: expect.stringContaining('cannot be written') as string,
    });
  } finally {
    chmodSync(home, 0o700);
  }
  expect(readdirSync(home).sort()).toEqual([...names, 'loci.yaml'].sort());
});

it('a read-only store whose last changes cannot be read without writing says what to do', async ({
  skip,
}) => {
  const { program, leadingArgs } = nodeBoundByModes() ?? skip(NOT_BOUND_BY_MODES);
  await using folder = await temporaryFolder();
  const home = await copyOfHome(folder.path, ['loci.db', 'loci.db-wal']);
  expect(existsSync(join(home, 'loci.db-shm'))).toBe(false);
  chmodSync(home, 0o500);
  const { stderr, status } = spawnSync(program, [...leadingArgs, MAIN, 'search', 'oven', '--home', home], {
    encoding: 'utf8',
  });
  chmodSync(home, 0o700);
  expect(status).not.toBe(0);
  expect(stderr).toContain('loci.db-wal, which cannot be read here');
  expect(stderr).toContain('Copy the folder');
});
