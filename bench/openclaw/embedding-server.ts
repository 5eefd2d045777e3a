import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Embedder } from '../../src/embed/embedder.ts';

/** A server with the embeddings API of OpenAI. */
export interface EmbeddingServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the vectors of an embedder on loopback. */
export async function serveEmbeddings(embedder: Embedder): Promise<EmbeddingServer> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    answer(embedder, request).then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(JSON.stringify({ error: { message: String(error) } })),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

async function answer(embedder: Embedder, request: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { input, encoding_format: format } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
    readonly input: string | readonly string[];
    readonly encoding_format?: string;
  };
  const texts = typeof input === 'string' ? [input] : input;
  const vectors = await embedder.embed(texts, { purpose: 'passage' });
  const encoded = (vector: Float32Array): string | number[] =>
    format === 'base64'
      ? Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
      : [...vector];
  return {
    object: 'list',
    model: embedder.model,
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encoded(vector) })),
    usage: { prompt_tokens: 0, total_tokens: 0 },
  };
}
