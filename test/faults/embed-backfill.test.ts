import { describe, expect, it, onTestFinished } from 'vitest';
import type { EmbedBackfillOutput } from '../../src/engine/embedding/backfill.ts';
import type { EmbedPruneOutput } from '../../src/engine/embedding/prune.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import { type CommandResult, indexedHomes, lociJson, startLoci } from '../e2e/loci-command.ts';
import {
  type Fault,
  letterVectors,
  OLLAMA,
  type ProviderServer,
  startProvider,
} from '../embedding/provider-server.ts';
import { repetitions } from '../repetitions.ts';

const TEXTS = repetitions(1200, 10_000);
const KILLS = 5;
/** What a process has sent and not stored yet: two requests at once, and batches of 64 texts that wait for their commit. */
const MAX_IN_WORK = 4 * 64;

const indexedHome = indexedHomes(
  Object.fromEntries(
    Array.from({ length: TEXTS }, (_, i) => [
      `Note ${String(i)}.md`,
      `The number of this note is x${String(i)}.`,
    ]),
  ),
);

/** A store of short notes without vectors, and a provider. */
async function prepare(
  refuse: (texts: readonly string[]) => Fault | undefined = () => undefined,
): Promise<{ server: ProviderServer; home: string; env: NodeJS.ProcessEnv }> {
  const home = indexedHome();
  const server = await startProvider({
    ...{ format: OLLAMA, embed: letterVectors(384) },
    refuse: ({ texts }) => refuse(texts),
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const env = {
    ...{
      LOCI_EMBEDDING_PROVIDER: 'ollama',
      LOCI_EMBEDDING_MODEL: 'all-minilm',
      LOCI_EMBEDDING_URL: server.origin,
    },
  };
  return { server, home, env };
}

/** The texts of passages that the provider received, with repetitions. */
function received({ requests }: ProviderServer): string[] {
  return requests.flatMap(({ texts }) => texts).filter((text) => text !== 'loci');
}

function outputOf({ code, stdout, stderr }: CommandResult): EmbedBackfillOutput {
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout) as EmbedBackfillOutput;
}

const BACKFILL = ['embed', 'backfill', '--json'];

describe('loci embed backfill', () => {
  it('goes on after kill -9, misses no text, and repeats only what was in work', async () => {
    const { server, home, env } = await prepare();
    for (let kill = 1; kill <= KILLS; kill++) {
      const { child, ended } = startLoci(BACKFILL, { home, env });
      const enough = (kill * TEXTS) / (KILLS + 1);
      await expect
        .poll(() => new Set(received(server)).size, { timeout: 100_000, interval: 5 })
        .toBeGreaterThan(enough);
      child.kill('SIGKILL');
      await ended;
    }
    const output = outputOf(await startLoci(BACKFILL, { home, env }).ended);
    expect(output.remaining).toBe(0);
    const texts = received(server);
    expect(new Set(texts).size).toBe(TEXTS);
    expect(texts.length).toBeLessThanOrEqual(TEXTS + KILLS * MAX_IN_WORK);
    await lociJson(['embed', 'switch'], { home, env });
    const found = await lociJson<SearchOutput>(['search', `x${String(TEXTS - 1)}`], { home, env });
    expect([found.provider, found.missing]).toEqual(['ollama/all-minilm', []]);
    expect(found.results[0]?.title).toBe(`Note ${String(TEXTS - 1)}`);
  });

  it('is shared by processes, which embed no text twice', async () => {
    const { server, home, env } = await prepare();
    const processes = [1, 2, 3].map(() => startLoci(BACKFILL, { home, env }).ended);
    const outputs = (await Promise.all(processes)).map(outputOf);
    expect(outputs.map(({ remaining }) => remaining)).toEqual([0, 0, 0]);
    const embedded = outputs.map((output) => output.embedded);
    expect(embedded.reduce((sum, each) => sum + each, 0)).toBe(TEXTS);
    expect(received(server)).toHaveLength(TEXTS);
    expect(embedded.filter((each) => each > 0).length).toBeGreaterThan(1);
  });

  it('is finished by processes that share it although some texts are refused, and says which', async () => {
    const isRefused = (text: string): boolean => /x(?:7|70|71|700)\./.test(text);
    const { server, home, env } = await prepare((texts) =>
      texts.some(isRefused) ? { status: 400, body: { error: 'content filter' } } : undefined,
    );
    const processes = [1, 2, 3].map(() => startLoci(BACKFILL, { home, env }).ended);
    const outputs = (await Promise.all(processes)).map(outputOf);
    const embedded = outputs.map((output) => output.embedded);
    expect(embedded.reduce((sum, each) => sum + each, 0)).toBe(TEXTS - 4);
    for (const { remaining, refused } of outputs) expect([remaining, refused]).toEqual([4, 4]);
    expect(
      received(server).filter((text) => text === `Note 7\nThe number of this note is x7.`).length,
    ).toBeLessThan(40);

    const { code, stdout, stderr } = await startLoci(['embed', 'backfill'], { home, env }).ended;
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('`loci embed switch --partial` lets searches use them.') as string,
    ]);
    expect(stderr).toContain('the embedding provider refuses 4 texts, found by words alone:');
    expect(stderr).toContain(`Note 700.md#L1-L1: ${server.origin} answers HTTP 400`);
    await lociJson(['embed', 'switch', '--partial'], { home, env });
    const again = await startLoci(['embed', 'switch', '--partial'], { home, env }).ended;
    expect(again.stdout).toContain('already: nothing was changed');
    expect(again.stdout).not.toContain('before');
    const found = await lociJson<SearchOutput>(['search', 'x700'], { home, env });
    expect([found.provider, found.results[0]?.title]).toEqual(['ollama/all-minilm', 'Note 700']);
    expect(found.missing).toEqual([
      { signal: 'vector', why: expect.stringContaining('says why the provider refuses it') as string },
    ]);
  });

  it('keeps its vectors while other processes with other settings prune', async () => {
    const { server, home, env } = await prepare();
    await lociJson<EmbedBackfillOutput>(BACKFILL, { home, env });
    await lociJson(['embed', 'switch'], { home, env });
    const other = { home, env: { ...env, LOCI_EMBEDDING_MODEL: 'bge-m3', LOCI_EMBEDDING_DIMENSIONS: '384' } };
    const before = received(server).length;
    const backfill = startLoci(BACKFILL, other);
    await expect
      .poll(() => received(server).length, { timeout: 100_000, interval: 5 })
      .toBeGreaterThan(before);
    const prunes: EmbedPruneOutput[] = [];
    do prunes.push(await lociJson<EmbedPruneOutput>(['embed', 'prune'], { home, env }));
    while (backfill.child.exitCode === null);
    const output = outputOf(await backfill.ended);
    expect([output.embedded, output.remaining]).toEqual([TEXTS, 0]);
    const prefixes = { query_prefix: '', passage_prefix: '' };
    const inUse = { provider: 'ollama', model: 'bge-m3', dimensions: 384, ...prefixes };
    expect(prunes[0]).toEqual({
      dry_run: false,
      removed: [],
      in_use: [{ ...inUse, process: `process ${String(backfill.child.pid)}` }],
    });
    // Once the work has ended, and not before, they may be removed.
    const removed = prunes.flatMap((prune) => prune.removed);
    expect(removed.filter(({ vectors }) => vectors !== TEXTS)).toEqual([]);
  });
});
