import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type {
  GoldenDiffOutput,
  GoldenRun,
  GoldenRecordOutput,
  GoldenListOutput,
} from '../../src/engine/golden/golden-fields.ts';
import { type Fault, letterVectors, OLLAMA, startProvider } from '../embedding/provider-server.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

let home: string;
let folder: string;
const write = (name: string, text: string): void => {
  writeFileSync(join(folder, 'notes', name), text);
};

beforeEach(async () => {
  folder = temporaryFolder();
  home = join(folder, 'home');
  mkdirSync(join(folder, 'notes'));
  write('Oven.md', '# Oven\n\nThe oven door has a marzipan handle.\n');
  write('Stove.md', '# Stove\n\nThere is an old oven beside it.\n');
  await loci(['index', join(folder, 'notes')], { home });
});

describe('loci golden', () => {
  it('records, lists, replays, compares and removes, and its exit code says that something is missing', async () => {
    const tried = await loci(['golden', 'record', 'oven', '--dry-run'], { home });
    expect(tried.stdout).toMatch(/Nothing was recorded\.\n$/);
    expect(await lociJson(['golden', 'list'], { home })).toMatchObject({ queries: [] });
    const recorded = await lociJson<GoldenRecordOutput>(['golden', 'record', 'oven'], { home });
    expect(recorded.expected.map(({ citation, rank }) => [citation, rank])).toEqual([
      ['Oven.md', 1],
      ['Stove.md', 2],
    ]);
    const { queries } = await lociJson<GoldenListOutput>(['golden', 'list'], { home });
    expect(queries.map((each) => ({ ...each, missing: [], notices: [], dry_run: false }))).toEqual([
      recorded,
    ]);
    const first = await loci(['golden', 'replay', '--json'], { home });
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout) as GoldenRun).toMatchObject({ missing: 0, recall: 1, mrr: 1 });
    const before = join(folder, 'before.json');
    writeFileSync(before, first.stdout);
    const same = await loci(['golden', 'diff', before], { home });
    expect(same).toMatchObject({
      code: 0,
      stdout: '1 query compared, 0 changed; recall 1.000 → 1.000, MRR 1.000 → 1.000\n',
    });
    rmSync(join(folder, 'notes/Oven.md'));
    await loci(['index', join(folder, 'notes')], { home });
    const replay = await loci(['golden', 'replay'], { home });
    expect(replay.code).toBe(1);
    expect(replay.stdout).toContain('- Oven.md, 1 → missing');
    expect(replay.stdout).toContain('~ Stove.md, 2 → 1');
    expect(replay.stdout).toContain('1 expected record missing; recall@10 0.500, MRR 1.000');
    const diff = await loci(['golden', 'diff', before, '--json'], { home });
    expect(diff.code).toBe(1);
    expect(JSON.parse(diff.stdout) as GoldenDiffOutput).toMatchObject({
      lost: 1,
      changed: [{ query: 'oven', lost: [{ citation: 'Oven.md' }], moved: [{ before: 2, after: 1 }] }],
    });
    await loci(['golden', 'remove', recorded.id], { home });
    const none = await loci(['golden', 'replay'], { home });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('there are no golden queries');
  });

  it('says that the search lacks a signal whose places it records', async () => {
    const server = await startProvider({
      ...{ format: OLLAMA, embed: letterVectors(384) },
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const env = {
      LOCI_EMBEDDING_PROVIDER: 'ollama',
      LOCI_EMBEDDING_MODEL: 'all-minilm',
      LOCI_EMBEDDING_URL: server.origin,
    };
    await loci(['index'], { home, env });
    const broken: Fault = { status: 500, body: { error: 'out of memory' } };
    server.faults.push(broken);
    const recorded = await lociJson<GoldenRecordOutput>(['golden', 'record', 'oven'], { home, env });
    expect(recorded.expected).toHaveLength(2);
    const why = expect.stringContaining('HTTP 500') as string;
    expect(recorded.missing).toEqual([{ signal: 'vector', why }]);
    server.faults.push(broken, broken);
    const again = await loci(['golden', 'record', 'oven'], { home, env });
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('the recorded places may lack meaning: ');
  });

  it('refuses a file that is no run', async () => {
    await loci(['golden', 'record', 'oven'], { home });
    const file = join(folder, 'no-run.json');
    writeFileSync(file, '{"at": 1}');
    expect((await loci(['golden', 'diff', file], { home })).stderr).toContain(
      'is no run of the golden queries',
    );
    expect((await loci(['golden', 'diff', join(folder, 'none')], { home })).code).not.toBe(0);
  });
});
