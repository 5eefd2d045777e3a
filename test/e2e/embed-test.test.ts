import { describe, expect, it, onTestFinished } from 'vitest';
import { letterVectors, OPENAI, startProvider } from '../embedding/provider-server.ts';
import { loci, temporaryFolder } from './loci-command.ts';

const KEY = 'sk-test-0123456789-secret';

async function serving(dimensions: number): Promise<Awaited<ReturnType<typeof startProvider>>> {
  const server = await startProvider({ format: OPENAI, embed: letterVectors(dimensions) });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

describe('loci embed test', () => {
  it('finds out how long the vectors of an unknown model are, and shows no key', async () => {
    const server = await serving(12);
    const env = {
      ...{ LOCI_EMBEDDING_PROVIDER: 'openai-compatible', LOCI_EMBEDDING_MODEL: 'unheard-of' },
      ...{ LOCI_EMBEDDING_URL: `${server.origin}/v1`, LOCI_EMBEDDING_API_KEY: KEY },
    };
    const home = temporaryFolder();
    const searched = await loci(['write', 'The oven moves'], { home, env });
    expect(searched).toMatchObject({ code: 3, stderr: expect.stringContaining('loci embed test') as string });
    const tested = await loci(['embed', 'test', '--json'], { home, env });
    expect(JSON.parse(tested.stdout)).toMatchObject({
      ...{ dimensions: 12, configured_dimensions: null, must_set_dimensions: true },
    });
    expect((await loci(['embed', 'test'], { home, env })).stdout).toContain(
      '`loci config set embedding.dimensions 12`\n',
    );
    const set = { ...env, LOCI_EMBEDDING_DIMENSIONS: '12' };
    expect((await loci(['embed', 'test'], { home, env: set })).stdout).toMatch(/dimensions +12\n/);
    const unknownModel = { status: 400, body: { error: { message: `unknown key ${KEY}` } } };
    server.faults.push(unknownModel);
    const refused = await loci(['embed', 'test'], { home, env });
    expect(refused.code).toBe(7);
    const shown = await loci(['config', 'show'], { home, env });
    const written = [searched, tested, refused, shown]
      .flatMap(({ stdout, stderr }) => [stdout, stderr])
      .join('');
    expect(written).toContain('unknown key ********');
    expect(written).not.toContain(KEY);
  });

  it('fails if a stranger is more similar than a paraphrase', async () => {
    const server = await startProvider({
      format: OPENAI,
      embed: (texts) => Promise.resolve(texts.map(() => [1, 0, 0])),
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const env = {
      ...{ LOCI_EMBEDDING_PROVIDER: 'openai-compatible', LOCI_EMBEDDING_MODEL: 'constant' },
      LOCI_EMBEDDING_URL: `${server.origin}/v1`,
    };
    const { code, stdout } = await loci(['embed', 'test'], { home: temporaryFolder(), env });
    expect([code, stdout]).toEqual([1, expect.stringContaining('more similar than a paraphrase')]);
  });
});
