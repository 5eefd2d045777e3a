import { describe, expect, it, onTestFinished } from 'vitest';
import type { EmbedBackfillOutput } from '../../src/engine/embedding/backfill.ts';
import type { StatusOutput } from '../../src/engine/health/status.ts';
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

const TEXTS = repetitions(720, 10_000);
const KILLS = repetitions(2, 5);
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
  it('goes on after kill -9 while searches use the vectors of before, misses no text, and then switches', async () => {
    const { server, home, env } = await prepare();
    outputOf(await startLoci(BACKFILL, { home, env }).ended);
    const changed = { ...env, LOCI_EMBEDDING_MODEL: 'bge-m3', LOCI_EMBEDDING_DIMENSIONS: '384' };
    const sent = (): string[] =>
      server.requests
        .filter(({ body }) => body['model'] === 'bge-m3')
        .flatMap(({ texts }) => texts)
        .filter((text) => text !== 'loci');
    const searched = async (): Promise<unknown> => {
      const found = await lociJson<SearchOutput>(['search', `x${String(TEXTS - 1)}`], { home, env: changed });
      return [found.provider, found.missing, found.results[0]?.title];
    };
    const title = `Note ${String(TEXTS - 1)}`;
    for (let kill = 1; kill <= KILLS; kill++) {
      const { child, ended } = startLoci(BACKFILL, { home, env: changed });
      // The last kill is about when the last text is stored, searches switch and the old vectors are removed.
      const enough = kill === KILLS ? TEXTS - 1 : (kill * TEXTS) / (KILLS + 1);
      await expect
        .poll(() => new Set(sent()).size, { timeout: 100_000, interval: 5 })
        .toBeGreaterThan(enough);
      child.kill('SIGKILL');
      await ended;
      const [provider, ...rest] = (await searched()) as string[];
      expect(kill === KILLS ? ['ollama/all-minilm', 'ollama/bge-m3'] : ['ollama/all-minilm']).toContain(
        provider,
      );
      expect(rest).toEqual([[], title]);
    }
    const output = outputOf(await startLoci(BACKFILL, { home, env: changed }).ended);
    expect(output).toMatchObject({ remaining: 0, is_active: true });
    expect(new Set(sent()).size).toBe(TEXTS);
    expect(sent().length).toBeLessThanOrEqual(TEXTS + KILLS * MAX_IN_WORK);
    expect(await searched()).toEqual(['ollama/bge-m3', [], title]);
    const { embedding } = await lociJson<StatusOutput>(['status'], { home, env: changed });
    expect(embedding).toMatchObject({ model: 'bge-m3', vectors: TEXTS, pending: 0, change: null });
  });

  it('is done once by processes that start together, although some texts are refused, and says which', async () => {
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
    expect([code, stdout]).toEqual([0, expect.stringContaining('Embedded 0 texts') as string]);
    expect(stderr).toContain('the embedding provider refuses 4 texts, found by words alone:');
    expect(stderr).toContain(`Note 700.md#L1-L1: ${server.origin} answers HTTP 400`);
    const found = await lociJson<SearchOutput>(['search', 'x700'], { home, env });
    expect([found.provider, found.results[0]?.title]).toEqual(['ollama/all-minilm', 'Note 700']);
    expect(found.missing).toEqual([
      { signal: 'vector', why: expect.stringContaining('says why the provider refuses it') as string },
    ]);
  });
});
