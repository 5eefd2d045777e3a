// The far end of a reranker: a server that judges texts by the words that they share with the query, in the wire formats of the
// public documents that src/embed/rerank/ names.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RerankFormat {
  readonly path: string;
  /** The field of the request that has the texts. */
  readonly texts: 'documents' | 'texts';
  answer(scores: readonly number[]): unknown;
  /** For a request without the texts. */
  readonly noTexts: { readonly status: number; readonly body: unknown };
}

const relevance = (scores: readonly number[]) =>
  scores
    .map((relevance_score, index) => ({ index, relevance_score }))
    .toSorted((a, b) => b.relevance_score - a.relevance_score);

export const VOYAGE_RERANK: RerankFormat = {
  path: '/v1/rerank',
  texts: 'documents',
  answer: (scores) => ({
    object: 'list',
    data: relevance(scores),
    model: 'rerank-2.5-lite',
    usage: { total_tokens: 26 },
  }),
  noTexts: { status: 400, body: { detail: "Argument 'documents' is required." } },
};

export const COHERE_RERANK: RerankFormat = {
  path: '/v2/rerank',
  texts: 'documents',
  answer: (scores) => ({
    id: '07734bd2-2473-4f07-94e1-0d9f0e6843cf',
    results: relevance(scores),
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  }),
  noTexts: { status: 400, body: { message: 'invalid request: list of documents must not be empty' } },
};

/** Of Jina, vLLM and llama.cpp. */
export const JINA_RERANK: RerankFormat = {
  path: '/v1/rerank',
  texts: 'documents',
  answer: (scores) => ({
    model: 'm',
    object: 'list',
    usage: { total_tokens: 26 },
    results: relevance(scores),
  }),
  noTexts: {
    status: 400,
    body: { error: { code: 400, message: '"documents" must be a non-empty string array' } },
  },
};

export const TEI_RERANK: RerankFormat = {
  path: '/rerank',
  texts: 'texts',
  answer: (scores) => scores.map((score, index) => ({ index, score })).toSorted((a, b) => b.score - a.score),
  noTexts: {
    status: 422,
    body: {
      error: 'Failed to deserialize the JSON body into the target type: missing field `texts`',
      error_type: 'validation',
    },
  },
};

export interface RerankServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly requests: {
    readonly headers: IncomingHttpHeaders;
    readonly body: Readonly<Record<string, unknown>>;
  }[];
  /** What it answers in place of scores, for each of the next requests. `hang` never answers, `stall` only begins to. */
  readonly faults: ('hang' | 'stall' | { readonly status: number; readonly body: unknown })[];
}

export async function startReranker(format: RerankFormat): Promise<RerankServer> {
  const requests: RerankServer['requests'] = [];
  const faults: RerankServer['faults'] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      const reply = (status: number, value: unknown): void => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(value));
      };
      if (request.url !== format.path) {
        reply(404, { error: `no such path: ${String(request.url)}` });
        return;
      }
      requests.push({ headers: request.headers, body });
      const fault = faults.shift();
      if (fault === 'hang') return;
      if (fault === 'stall') {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"results": [');
        return;
      }
      const texts = body[format.texts];
      if (fault !== undefined) reply(fault.status, fault.body);
      else if (!Array.isArray(texts)) reply(format.noTexts.status, format.noTexts.body);
      else
        reply(
          200,
          format.answer((texts as string[]).map((text) => wordOverlap(body['query'] as string, text))),
        );
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${String(address.port)}`,
    requests,
    faults,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => void server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The share of the words of the query that the text has; among equals, a shorter text is better. 0 to 1. */
function wordOverlap(query: string, text: string): number {
  const words = (of: string): string[] => of.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const wanted = new Set(words(query));
  const all = words(text);
  const found = new Set(all.filter((word) => wanted.has(word)));
  return (found.size + found.size / (1 + all.length)) / Math.max(1, 2 * wanted.size);
}
