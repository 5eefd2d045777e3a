import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../test/contract/engines.ts';
import {
  letterVectors,
  OPENAI,
  type ProviderServer,
  startProvider,
} from '../../../test/embedding/provider-server.ts';
import { lookupAllowed } from './addresses.ts';
import type { Embedder } from '../embedder.ts';
import type { EmbeddingConfig } from '../provider.ts';
import { openEmbedder } from '../registry.ts';

async function open(settings: Partial<EmbeddingConfig>): Promise<Embedder> {
  const embedder = await openEmbedder({
    ...{ provider: 'openai-compatible', model: 'test', dimensions: 8 },
    ...settings,
  });
  onTestFinished(() => embedder!.close());
  return embedder!;
}

async function serve(): Promise<ProviderServer> {
  const server = await startProvider({ format: OPENAI, embed: letterVectors(8) });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

const embedOven = (embedder: Embedder): Promise<Float32Array[]> =>
  embedder.embed(['oven'], { purpose: 'passage' });

describe('a provider that the settings name', () => {
  it.each([
    ['169.254.169.254', 'http://169.254.169.254/v1'],
    ['169.254.169.254', 'http://0xa9fea9fe/v1'],
    ['169.254.169.254', 'http://2852039166/v1'],
    ['169.254.169.254', 'http://0251.0376.169.254./v1'],
    ['169.254.169.254', 'http://１６９。254.169.254/v1'],
    ['::ffff:a9fe:a9fe', 'http://[::ffff:169.254.169.254]/v1'],
    ['fe80::1', 'http://[fe80::1]/v1'],
    ['fd00:ec2::254', 'http://[fd00:ec2::254]/v1'],
    ['100.100.100.200', 'http://100.100.100.200/v1'],
    ['fd00:ec2::23', 'http://[fd00:ec2::23]/v1'],
    ['fd20:ce::254', 'http://[fd20:ce::254]/v1'],
    ['fd00:c1::a9fe:a9fe', 'http://[fd00:c1::a9fe:a9fe]/v1'],
    ['fd00:42::42', 'http://[fd00:42::42]/v1'],
    ['64:ff9b::a9fe:a9fe', 'http://[64:ff9b::169.254.169.254]/v1'],
    ['64:ff9b:1::6464:64c8', 'http://[64:ff9b:1::100.100.100.200]/v1'],
    ['2002:a9fe:a9fe::', 'http://[2002:a9fe:a9fe::]/v1'],
    ['::a9fe:a9fe', 'http://[::169.254.169.254]/v1'],
    ['::ffff:0:a9fe:a9fe', 'http://[::ffff:0:169.254.169.254]/v1'],
    ['64:ff9b:1:a9fe:a9:fe00::', 'http://[64:ff9b:1:a9fe:a9:fe00::]/v1'],
    ['64:ff9b:1:a9:fe:a9fe::', 'http://[64:ff9b:1:a9:fe:a9fe::]/v1'],
    ['64:ff9b:1:0:a9:fea9:fe00:0', 'http://[64:ff9b:1:0:a9:fea9:fe00:0]/v1'],
    ['fd00::5efe:a9fe:a9fe', 'http://[fd00::5efe:169.254.169.254]/v1'],
    ['2001:0:a9fe:a9fe::', 'http://[2001:0:a9fe:a9fe::]/v1'],
    ['2001::5601:5601', 'http://[2001::5601:5601]/v1'],
  ])('may not be at %s (%s), unless the settings state it', async (address, url) => {
    await expect(open({ url })).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining(address) as string,
      hint: expect.stringContaining('embedding.allowLinkLocal') as string,
    });
    expect(await open({ url, allowLinkLocal: true })).toMatchObject({ provider: 'openai-compatible' });
  });

  it.each([
    '[::1]',
    '[::]',
    '[64:ff9b::5601:5601]',
    '[64:ff9b::7f00:1]',
    '[2002:c000:204::1]',
    '[2001:db8::a9fe:a9fe]',
    '[fd00:c2::1]',
  ])('may be at %s', async (host) => {
    expect(await open({ url: `http://${host}/v1` })).toMatchObject({ provider: 'openai-compatible' });
  });

  it('may not have a name that leads to a link-local address', async () => {
    const found = (name: string): Promise<unknown> =>
      new Promise((resolve) => {
        lookupAllowed(name, { all: true }, (error, addresses) => {
          resolve(error ?? addresses);
        });
      });
    expect(await found('localhost')).toEqual(
      expect.arrayContaining([expect.objectContaining({ address: expect.any(String) as string })]),
    );
    for (const address of ['169.254.169.254', 'fe80::1%lo', '64:ff9b::a9fe:a9fe'])
      expect(await found(address)).toMatchObject({ code: 'invalid_config' });
  });

  it('is not followed to another address', async () => {
    const other = await serve();
    const redirecting = createServer((_request, response) => {
      response.writeHead(307, { location: `${other.origin}/v1/embeddings` }).end();
    });
    const embedder = await open({ url: `${await listen(redirecting)}/v1` });
    await expect(embedOven(embedder)).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: expect.stringContaining(
        'redirects to another address (HTTP 307); redirects are not followed',
      ) as string,
    });
    expect(other.requests).toEqual([]);
  });

  it.each([
    ['ftp://127.0.0.1/v1', 'http:// or https://'],
    ['not an address', 'http:// or https://'],
    ['http://user:hunter2@127.0.0.1/v1', 'no user, password or query'],
    ['http://127.0.0.1/v1?key=hunter2', 'no user, password or query'],
  ])('has an address without user, password and query: %s', async (url, message) => {
    const opened = open({ url });
    await expect(opened).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining(message) as string,
    });
    await expect(opened).rejects.not.toThrow('hunter2');
  });

  it.each([
    [
      { provider: 'openai-compatible', model: 'test', dimensions: 8 },
      'embedding.url is missing',
      'embedding.url',
    ],
    [
      { provider: 'openai-compatible', url: 'http://127.0.0.1' },
      'embedding.model is missing',
      'embedding.model NAME',
    ],
    [{ provider: 'ollama', model: 'unheard-of' }, 'does not know the model unheard-of', 'loci embed test'],
    [
      { provider: 'command', model: 'own', dimensions: 8 },
      'embedding.command is missing',
      'docs/providers.md',
    ],
    [{ provider: 'voyage' }, 'there is no API key', 'VOYAGE_API_KEY'],
    [{ provider: 'gemini' }, 'there is no API key', 'GEMINI_API_KEY'],
    [{ provider: 'openai', apiKey: 'env:NO_SUCH_VARIABLE' }, 'the variable NO_SUCH_VARIABLE', 'loci.yaml'],
    [
      { provider: 'openai', apiKey: 'file:/no/such/file' },
      '/no/such/file, which embedding.apiKey names',
      'loci.yaml',
    ],
    [{ provider: 'openai', apiKey: 'a b' }, 'has a blank or a special character', 'loci.yaml'],
  ])('has the settings that it needs: %o', async (settings, message, hint) => {
    await expect(openEmbedder(settings)).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining(message) as string,
      hint: expect.stringContaining(hint) as string,
    });
  });
});

describe('a key', () => {
  it('of a provider is not sent to the address of another one', async () => {
    const server = await serve();
    vi.stubEnv('OPENAI_API_KEY', 'for-openai');
    try {
      const settings = { url: `${server.origin}/v1`, model: 'text-embedding-3-small' };
      await expect(openEmbedder({ provider: 'openai', ...settings })).rejects.toMatchObject({
        code: 'invalid_config',
        message: expect.stringContaining('OPENAI_API_KEY is not sent') as string,
        hint: expect.stringMatching(
          /embedding\.apiKey env:OPENAI_API_KEY.*embedding\.url https:\/\/api\.openai/,
        ) as string,
      });
      expect(server.requests).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('is read from a file', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'key');
    await writeFile(file, 'from-a-file\n');
    const server = await serve();
    await embedOven(await open({ url: `${server.origin}/v1`, apiKey: `file:${file}` }));
    expect(server.requests[0]?.headers.authorization).toBe('Bearer from-a-file');
  });

  it('is not needed by a server that asks for none', async () => {
    const server = await serve();
    await embedOven(await open({ url: `${server.origin}/v1` }));
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });
});

/** A server that sends an answer without end, and how much of each it could send. */
async function serveEndless(start: string): Promise<{ readonly url: string; readonly sent: number[] }> {
  const sent: number[] = [];
  const piece = '[0.1, 0.2], '.repeat(5000);
  const server = createServer((request, response) => {
    request.resume();
    const index = sent.push(0) - 1;
    response.writeHead(200, { 'content-type': 'application/json' }).write(start);
    const send = (): void => {
      while (!response.destroyed && sent[index]! < 400_000_000) {
        sent[index]! += piece.length;
        if (!response.write(piece)) return;
      }
    };
    response.on('drain', send);
    send();
  });
  return { url: await listen(server), sent };
}

describe('an answer that is longer than what was asked for', () => {
  it.each([
    ['streamed', 8],
    ['of an unknown model', undefined],
  ])('is not read to its end, and not asked for again in halves: %s', async (_, dimensions) => {
    const { url, sent } = await serveEndless('{"data": [');
    const embedder = await openEmbedder({
      ...{ provider: 'openai-compatible', model: 'test', url, trial: { onRepeat: () => undefined } },
      ...(dimensions !== undefined && { dimensions }),
    });
    onTestFinished(() => embedder!.close());
    const texts = ['oven', 'clock', 'plumber', 'garden'];
    await expect(embedder!.embed(texts, { purpose: 'passage' })).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: `the answer of ${url} has more than ${dimensions === 8 ? '66' : '4064'} kB, which nothing asked for`,
    });
    expect(sent).toHaveLength(1);
    // Beside what was read, there are buffers on both sides.
    expect(sent[0]).toBeLessThan(20_000_000);
  });

  it('is refused by its announced length', async () => {
    const text = `{"data": [${' '.repeat(100_000)}]}`;
    const url = await listen(createServer((_request, response) => response.end(text)));
    await expect(embedOven(await open({ url }))).rejects.toThrow('has more than 65 kB');
  });

  it('is told by its status if it is a refusal', async () => {
    const text = JSON.stringify({ error: 'x'.repeat(200_000) });
    const url = await listen(createServer((_request, response) => response.writeHead(403).end(text)));
    await expect(embedOven(await open({ url }))).rejects.toThrow(`${url} answers HTTP 403`);
  });
});

describe('an answer', () => {
  it.each([
    [
      undefined,
      'asks for an API key, and none is set (HTTP 401)',
      '`loci config set embedding.apiKey env:NAME`',
    ],
    ['sk-secret', 'does not accept the API key (HTTP 401)', 'Correct the key in LOCI_EMBEDDING_API_KEY,'],
    ['env:PATH', 'does not accept the API key (HTTP 401)', 'Correct the key in PATH,'],
  ])('that refuses the key %s says which one, or that none was sent', async (apiKey, message, hint) => {
    const server = await serve();
    server.faults.push({ status: 401 });
    const embedder = await open({ url: `${server.origin}/v1`, ...(apiKey !== undefined && { apiKey }) });
    await expect(embedOven(embedder)).rejects.toMatchObject({
      message: `${server.origin} ${message}`,
      hint: expect.stringContaining(hint) as string,
    });
  });

  it('that says that there is nothing at the address shows it whole', async () => {
    const server = await serve();
    await expect(embedOven(await open({ url: `${server.origin}/v2` }))).rejects.toThrow(
      `${server.origin}/v2/embeddings answers HTTP 404`,
    );
  });

  it('that is no JSON is an error that names the provider', async () => {
    const url = await listen(createServer((_request, response) => response.end('<html>')));
    await expect(embedOven(await open({ url }))).rejects.toThrow(`${url} answers with no JSON`);
  });

  it('that does not come within the timeout is asked for twice, and is an error then', async () => {
    const server = await serve();
    server.faults.push('hang', 'hang');
    const embedder = await open({ url: `${server.origin}/v1`, timeout: 200 });
    await expect(embedOven(embedder)).rejects.toThrow(`${server.origin} did not answer within 200 ms`);
    expect(server.requests).toHaveLength(2);
  });

  it('that says that the quota is exhausted is not asked for again', async () => {
    const server = await serve();
    const error = { message: 'You exceeded your current quota', code: 'insufficient_quota' };
    server.faults.push({ status: 429, body: { error } });
    await expect(embedOven(await open({ url: `${server.origin}/v1` }))).rejects.toThrow(
      'HTTP 429: the quota is used up',
    );
    expect(server.requests).toHaveLength(1);
  });
});
