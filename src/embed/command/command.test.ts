import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isAlive } from '../../../test/contract/alive.ts';
import { temporaryFolder } from '../../../test/contract/engines.ts';
import type { Embedder } from '../embedder.ts';
import type { EmbeddingConfig } from '../provider.ts';
import { openEmbedder } from '../registry.ts';

const PROGRAM = fileURLToPath(new URL('../../../test/embedding/embedding-command.ts', import.meta.url));
const TEXTS = ['The oven moves to the other wall.', 'A tide clock', '', 'Zucchini 🥒 番茄炒蛋'];

let expected: Float32Array[];

beforeAll(async () => {
  const local = await openEmbedder({ provider: 'local', threads: 1 });
  // An empty text is sent as a full stop.
  expected = await local!.embed(
    TEXTS.map((text) => text || '.'),
    { purpose: 'passage' },
  );
  await local!.close();
});

async function open(
  settings: Partial<EmbeddingConfig> = {},
): Promise<{ embedder: Embedder; log: () => Promise<string[]> }> {
  const folder = await temporaryFolder();
  const file = join(folder.path, 'log');
  const { commandMode = 'stream' } = settings;
  const embedder = await openEmbedder({
    ...{ provider: 'command', model: 'own', dimensions: 384 },
    command: [process.execPath, PROGRAM, commandMode, file],
    ...settings,
  });
  onTestFinished(async () => {
    await embedder!.close();
    await folder[Symbol.asyncDispose]();
  });
  const log = async (): Promise<string[]> => (await readFile(file, 'utf8')).trim().split('\n');
  return { embedder: embedder!, log };
}

const embed = (embedder: Embedder, ...texts: readonly string[]): Promise<Float32Array[]> =>
  embedder.embed(texts, { purpose: 'passage' });

function expectSame(vectors: readonly Float32Array[]): void {
  expect(vectors).toHaveLength(expected.length);
  for (const [i, vector] of vectors.entries())
    for (const [j, component] of vector.entries()) expect(component).toBeCloseTo(expected[i]![j]!, 5);
}

describe('a command that runs all the time', () => {
  it('gives the vectors of the model behind it, and ends with the embedder', async () => {
    const { embedder, log } = await open({ batchSize: 2 });
    expectSame(await embed(embedder, ...TEXTS));
    expectSame(await embed(embedder, ...TEXTS));
    const lines = await log();
    expect(lines).toHaveLength(1);
    const pid = Number.parseInt(lines[0]!, 10);
    expect(isAlive(pid)).toBe(true);
    await embedder.close();
    expect(isAlive(pid)).toBe(false);
  });

  it('sees only the variables that it may read, and no message repeats their values', async () => {
    vi.stubEnv('EMBED_TOKEN', 'token-0123456789');
    vi.stubEnv('OTHER_TOKEN', 'other-0123456789');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const { embedder, log } = await open({ commandEnv: ['EMBED_TOKEN'], quotesProvider: true });
    await embed(embedder, 'oven');
    const [, variables = ''] = (await log())[0]!.split(' ');
    expect(variables.split(',')).toEqual(expect.arrayContaining(['EMBED_TOKEN', 'PATH']));
    expect(variables).not.toContain('OTHER_TOKEN');
    const failure = embedder.embed(['END'], { purpose: 'passage', brief: true });
    await expect(failure).rejects.toThrow('ended with exit code 3 before it answered: broken by ********');
  });

  it('prints no part of a key, wherever the output is cut and in however many pieces it comes', async () => {
    const key = 'token-0123456789-abcdefghijklmnopqrstuvwxyz';
    vi.stubEnv('EMBED_TOKEN', key);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    // The last 1000 characters begin in the middle of the key.
    const program = `const { writeSync } = require('node:fs');
      const { EMBED_TOKEN: key } = process.env;
      process.stdin.once('data', () => {
        writeSync(2, 'bad key ' + key.slice(0, 9));
        setTimeout(() => {
          writeSync(2, key.slice(9) + 'y'.repeat(980));
          process.exit(1);
        }, 50);
      });`;
    const { embedder } = await open({
      ...{
        command: [process.execPath, '--eval', program],
        commandEnv: ['EMBED_TOKEN'],
        quotesProvider: true,
      },
    });
    const error: unknown = await embedder.embed(['oven'], { purpose: 'passage', brief: true }).catch(String);
    expect(error).toContain('bad key ********yyy');
    expect(error).not.toContain(key.slice(-8));
  });

  it('is started again after it has ended, or has not answered in time', async () => {
    const { embedder, log } = await open();
    await embed(embedder, 'oven');
    await expect(embedder.embed(['END'], { purpose: 'passage', brief: true })).rejects.toMatchObject({
      code: 'embedding_unavailable',
    });
    expect(await embed(embedder, 'oven')).toHaveLength(1);
    expect(await log()).toHaveLength(2);
  });

  it('is ended if it does not answer in time', async () => {
    const silent = `require('node:readline').createInterface(process.stdin).on('line', (line) => {
      const { id, texts: [text] } = JSON.parse(line);
      if (text !== 'HANG') console.log(JSON.stringify({ id, vectors: [[process.pid, 0]] }));
    })`;
    const { embedder } = await open({
      ...{ command: [process.execPath, '--eval', silent], dimensions: 2, timeout: 3000 },
    });
    expect(await embed(embedder, 'oven')).toEqual([Float32Array.of(1, 0)]);
    const hanging = embedder.embed(['HANG'], { purpose: 'passage', brief: true });
    await expect(hanging).rejects.toThrow('did not answer within 3000 ms');
    expect(await embed(embedder, 'oven')).toHaveLength(1);
  });

  it('may refuse a text as too long, which is then embedded in parts', async () => {
    const { embedder } = await open({ maxTokens: 100_000 });
    const [vector] = await embed(embedder, 'The oven moves. '.repeat(200));
    expect(vector).toHaveLength(384);
  });
});

it('a command that runs once for each request gives the same vectors, and leaves no process', async () => {
  const { embedder, log } = await open({ commandMode: 'once', batchSize: 4 });
  expectSame(await embed(embedder, ...TEXTS));
  const pids = (await log()).map((line) => Number.parseInt(line, 10));
  // One for the texts, and one to learn how long a query takes.
  expect(pids).toHaveLength(2);
  // An answer does not wait for the end of its program; closing does.
  await embedder.close();
  expect(pids.filter(isAlive)).toEqual([]);
});

it.each([
  [['/no/such/program'], /cannot be started: ENOENT/],
  [[process.execPath, '--eval', 'console.log("hello")'], /printed a line that is no answer: hello/],
  [[process.execPath, '--eval', 'console.log(JSON.stringify({ error: "no\\nmodel" }))'], /no model/],
  [[process.execPath, '--eval', ''], /ended with exit code 0 before it answered/],
])('a command that fails is an error that says how: %o', async (command, message) => {
  for (const commandMode of ['stream', 'once'] as const) {
    const { embedder } = await open({ command, commandMode, quotesProvider: true });
    const failed = embedder.embed(['oven'], { purpose: 'passage', brief: true });
    await expect(failed).rejects.toMatchObject({ code: 'embedding_unavailable' });
    await expect(failed).rejects.toThrow(message);
  }
});

it('no error repeats what a command prints, because it may be the text that it was sent', async () => {
  const program = `require('node:readline').createInterface(process.stdin).on('line', (line) => {
    const { id, texts: [text] } = JSON.parse(line);
    if (text === 'END diary') { console.error(text); process.exit(3); }
    console.log(text === 'LINE diary' ? text : JSON.stringify({ id, error: text }));
  })`;
  const { embedder } = await open({ command: [process.execPath, '--eval', program] });
  for (const [text, message] of [
    ['END diary', 'ended with exit code 3 before it answered'],
    ['LINE diary', 'printed a line that is no answer'],
    ['diary', 'answers with an `error`'],
  ] as const)
    await expect(embed(embedder, text)).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: `${process.execPath} ${message}`,
    });
});

it('a command line that needs a shell is refused', async () => {
  await expect(open({ command: 'embed | sort' })).rejects.toMatchObject({ code: 'invalid_config' });
});
