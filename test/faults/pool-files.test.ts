import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readNote } from '../../src/adapters/pools/pool-files.ts';
import { type NodeCommand, nodeBoundByModes, NOT_BOUND_BY_MODES } from '../bound-by-modes.ts';
import { temporaryFolder } from '../e2e/loci-command.ts';

/** Asks the adapter `filesystem`, and does not close it. */
const RECALL = `
  const { createAdapter } = await import(process.env.ADAPTERS);
  const adapter = await createAdapter({}, { home: process.env.HOME_FOLDER });
  await adapter.registerPools([{ id: 'a', tier: 'hot', path: process.env.POOL }]);
  const results = await adapter.recall({ agentId: 'main', query: 'heron' });
  const { message } = await adapter.status();
  console.log(JSON.stringify({ found: results.map(({ metadata }) => metadata.path), message }));
`;

function recall({ program, leadingArgs }: NodeCommand, pool: string): unknown {
  const child = spawnSync(program, [...leadingArgs, '--input-type=module', '--eval', RECALL], {
    env: {
      ...process.env,
      ADAPTERS: new URL('../../src/adapters/index.ts', import.meta.url).href,
      HOME_FOLDER: temporaryFolder(),
      POOL: pool,
    },
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (child.status !== 0) throw new Error(child.stderr, { cause: child.error });
  return JSON.parse(child.stdout);
}

it('a pool with a pipe is searched, and the thread does not keep the process running', () => {
  const pool = temporaryFolder();
  writeFileSync(join(pool, 'x.md'), 'heron');
  expect(spawnSync('mkfifo', [join(pool, 'pipe.md')]).status).toBe(0);
  // It may have taken the place of a note.
  expect(readNote(pool, 'pipe.md')).toBeNull();
  expect(recall({ program: process.execPath, leadingArgs: [] }, pool)).toEqual({ found: ['x.md'] });
});

it('what may not be read is named in the status, and the rest is found', ({ skip }) => {
  const node = nodeBoundByModes() ?? skip(NOT_BOUND_BY_MODES);
  const pool = temporaryFolder();
  mkdirSync(join(pool, 'locked'));
  for (const key of ['locked/a.md', 'x.md', 'y.md']) writeFileSync(join(pool, key), 'heron');
  for (const key of ['locked', 'y.md']) chmodSync(join(pool, key), 0);
  try {
    expect(recall(node, pool)).toEqual({
      found: ['x.md'],
      message: ['locked', 'y.md']
        .map((key) => `${join(pool, key)} is not searched: permission denied`)
        .join('\n'),
    });
  } finally {
    for (const key of ['locked', 'y.md']) chmodSync(join(pool, key), 0o755);
  }
});
