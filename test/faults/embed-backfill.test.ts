import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EmbedBackfillOutput } from '../../src/operations/embedding/backfill.ts';
import type { SearchOutput } from '../../src/operations/records/search.ts';
import { type CommandResult, lociJson, startLoci, temporaryFolder } from '../e2e/loci-command.ts';
import { letterVectors, OLLAMA, type ProviderServer, startProvider } from '../embedding/provider-server.ts';
import { repetitions } from '../repetitions.ts';

const TEXTS = repetitions(1200, 10_000);
const KILLS = 5;
/** What a process has sent and not stored yet: two requests at once, and batches of 64 texts that wait for their commit. */
const MAX_IN_WORK = 4 * 64;

/** A store of short notes without vectors, and a provider. */
async function prepare(): Promise<{ server: ProviderServer; home: string; env: NodeJS.ProcessEnv }> {
  const home = temporaryFolder();
  const vault = join(temporaryFolder(), 'vault');
  mkdirSync(vault);
  for (let i = 0; i < TEXTS; i++)
    writeFileSync(join(vault, `Note ${String(i)}.md`), `The number of this note is x${String(i)}.`);
  await lociJson(['index', vault], { home });
  const server = await startProvider({ format: OLLAMA, embed: letterVectors(384) });
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
        .poll(() => new Set(received(server)).size, { timeout: 60_000, interval: 5 })
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
});
