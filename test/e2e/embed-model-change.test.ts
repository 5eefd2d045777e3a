import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { DoctorOutput } from '../../src/engine/health/check.ts';
import type { StatusOutput } from '../../src/engine/health/status.ts';
import { letterVectors, OLLAMA, type ProviderServer, startProvider } from '../embedding/provider-server.ts';
import { loci, lociJson, temporaryFolder, type CommandResult } from './loci-command.ts';

const TEXTS = ['The oven moves to the other wall.', 'A tide clock hangs in the school.'];

let home: string;
let server: ProviderServer;
/** The new model refuses texts with these words, but not the query of these words alone. */
let refused: string | null;

/** The settings of a model of the server. */
const settingsOf = (model: string, others: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...{ LOCI_EMBEDDING_PROVIDER: 'ollama', LOCI_EMBEDDING_MODEL: model, LOCI_EMBEDDING_URL: server.origin },
  ...{ LOCI_EMBEDDING_DIMENSIONS: '16', ...others },
});
const run = (args: readonly string[], env = settingsOf('new')): Promise<CommandResult> =>
  loci(args, { home, env });
const statusOf = async (env = settingsOf('new')): Promise<StatusOutput['embedding']> =>
  (await lociJson<StatusOutput>(['status'], { home, env })).embedding;

beforeEach(async () => {
  home = temporaryFolder();
  refused = null;
  server = await startProvider({
    format: OLLAMA,
    embed: letterVectors(16),
    refuse: ({ body, texts }) =>
      body['model'] === 'new' &&
      refused !== null &&
      texts.some((text) => text !== refused && text.includes(refused!))
        ? { status: 400, body: { error: 'no such text' } }
        : undefined,
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  for (const text of TEXTS) expect(await run(['write', text], settingsOf('old'))).toMatchObject({ code: 0 });
});

describe('loci status during a change of the model', () => {
  it('says what searches use, how far the new model is, and what it did at the end', async () => {
    const of = (model: string) =>
      expect.objectContaining({ provider: 'ollama', model, dimensions: 16 }) as unknown;
    const change = { from: of('old'), to: of('new'), texts: 2 };
    expect(await statusOf(settingsOf('old'))).toMatchObject({ model: 'old', vectors: 2, change: null });
    expect(await statusOf()).toMatchObject({
      ...{ configured: 'ollama', model: 'old', vectors: 2, pending: 0 },
      change: { ...change, embedded: 0 },
    });
    expect((await run(['status'])).stdout).toContain(`\
embeddings    ollama old, 16 dimensions, 2 vectors
              the settings name ollama new (16 dimensions), which has vectors of 0 of 2 texts
              searches and writes use that of before until all are made: run \`loci embed backfill\`
`);
    expect((await run(['embed', 'backfill'])).stdout).toMatch(
      /^Embedded 2 texts with ollama new \(16 dimensions\), in .*\.\nSearches use them now\. Those of ollama old \(16 dimensions\) were removed\.\n$/,
    );
    expect(await statusOf()).toMatchObject({ model: 'new', vectors: 2, pending: 0, change: null });
    expect((await run(['status'])).stdout).not.toContain('the settings name');
  });
});

describe('loci doctor', () => {
  const checks = async (
    env: NodeJS.ProcessEnv,
  ): Promise<ReadonlyMap<string, DoctorOutput['checks'][number]>> => {
    const { stdout } = await run(['doctor', '--json'], env);
    return new Map((JSON.parse(stdout) as DoctorOutput).checks.map((check) => [check.name, check]));
  };

  it('reports a missing key once, in the check of the model', async () => {
    const found = await checks({ LOCI_EMBEDDING_PROVIDER: 'openai' });
    expect(found.get('derived')).toMatchObject({
      result: 'warning',
      detail: expect.stringContaining('not compared with the records') as string,
    });
    expect(found.get('embedding')).toMatchObject({
      result: 'failed',
      detail: 'there is no API key for the embedding provider',
      hint: expect.stringContaining('OPENAI_API_KEY') as string,
    });
    expect([...found.values()].filter(({ result }) => result === 'failed')).toHaveLength(1);
  });
});
