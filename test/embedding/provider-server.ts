// The far end of an embedding provider: a server that speaks its wire format. The formats of requests, answers and errors are
// those of the public documents named below.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EmbeddingPurpose } from '../../src/embed/embedder.ts';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  readonly texts: readonly string[];
}

/** What the server answers in place of vectors. */
export type Fault =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Never answers. */
  | 'hang'
  /** Closes the connection without an answer. */
  | 'reset';

export interface ProviderFormat {
  readonly path: string;
  texts(body: Readonly<Record<string, unknown>>): readonly string[];
  /** What the request asks for; `passage` for a provider that does not distinguish them. */
  purpose(body: Readonly<Record<string, unknown>>): EmbeddingPurpose;
  answer(vectors: readonly (readonly number[])[], body: Readonly<Record<string, unknown>>): unknown;
  /** A text that is longer than the model reads. */
  readonly tooLong: Fault;
  /** More texts or tokens than a request may have. */
  readonly tooMany: Fault;
  readonly rateLimited: Fault;
  readonly badKey: Fault;
}

const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? (value as string[]) : [value as string];

function openaiError(status: number, error: Readonly<Record<string, unknown>>, headers = {}): Fault {
  return {
    status,
    headers,
    body: { error: { type: 'invalid_request_error', param: null, code: null, ...error } },
  };
}

/** https://docs.ollama.com/api/embed and https://docs.ollama.com/api/errors */
export const OLLAMA: ProviderFormat = {
  path: '/api/embed',
  texts: ({ input }) => strings(input),
  purpose: () => 'passage',
  answer: (embeddings, { model }) => ({
    ...{ model, embeddings, total_duration: 14_143_917, load_duration: 1_019_500, prompt_eval_count: 8 },
  }),
  tooLong: { status: 400, body: { error: 'the input length exceeds the context length' } },
  tooMany: { status: 400, body: { error: 'the input length exceeds the context length' } },
  rateLimited: {
    status: 503,
    body: { error: 'server busy, please try again.  maximum pending requests exceeded' },
  },
  badKey: { status: 401, body: { error: 'unauthorized' } },
};

/** https://platform.openai.com/docs/api-reference/embeddings and https://platform.openai.com/docs/guides/error-codes */
export const OPENAI: ProviderFormat = {
  path: '/v1/embeddings',
  texts: ({ input }) => strings(input),
  purpose: () => 'passage',
  answer: (vectors, { model, encoding_format: encoding }) => ({
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding:
        encoding === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector,
    })),
    ...{ model, usage: { prompt_tokens: 8, total_tokens: 8 } },
  }),
  tooLong: openaiError(400, {
    message:
      "This model's maximum context length is 8192 tokens, however you requested 9001 tokens (9001 in your prompt; 0 for the completion). Please reduce your prompt; or completion length.",
  }),
  tooMany: openaiError(400, {
    message: 'Invalid request. Requested 384321 tokens, max 300000 tokens per request',
    ...{ type: 'max_tokens_per_request', code: 'max_tokens_per_request' },
  }),
  rateLimited: openaiError(
    429,
    {
      message: 'Rate limit reached for text-embedding-3-small',
      type: 'requests',
      code: 'rate_limit_exceeded',
    },
    { 'retry-after-ms': '40', 'x-ratelimit-remaining-requests': '0' },
  ),
  badKey: openaiError(401, {
    message:
      'Incorrect API key provided: sk-te***********cret. You can find your API key at https://platform.openai.com/account/api-keys.',
    code: 'invalid_api_key',
  }),
};

/** https://docs.voyageai.com/reference/embeddings-api and https://docs.voyageai.com/docs/error-codes */
export const VOYAGE: ProviderFormat = {
  path: '/v1/embeddings',
  texts: ({ input }) => strings(input),
  purpose: ({ input_type: type }) => (type === 'query' ? 'query' : 'passage'),
  answer: (vectors, { model }) => ({
    object: 'list',
    // In another order than the request, which `index` allows.
    data: vectors.map((embedding, index) => ({ object: 'embedding', embedding, index })).toReversed(),
    ...{ model, usage: { total_tokens: 10 } },
  }),
  tooLong: {
    status: 400,
    body: {
      detail:
        "Request to model 'voyage-3.5' failed. The example at index 0 in your batch has too many tokens and does not fit into the model's context window of 32000 tokens. Please lower the number of tokens in the listed example(s) or use truncation.",
    },
  },
  tooMany: {
    status: 400,
    body: {
      detail:
        "Request to model 'voyage-3.5' failed. The max allowed tokens per submitted batch is 320000. Your batch has 400000 tokens after truncation. Please lower the number of tokens in the batch.",
    },
  },
  rateLimited: {
    status: 429,
    body: { detail: 'You have exceeded your rate limit.' },
    headers: { 'retry-after': '0' },
  },
  badKey: { status: 401, body: { detail: 'Provided API key is invalid.' } },
};

/** https://ai.google.dev/api/embeddings and https://ai.google.dev/gemini-api/docs/troubleshooting */
export const GEMINI: ProviderFormat = {
  path: '/v1beta/models/gemini-embedding-001:batchEmbedContents',
  texts: ({ requests }) =>
    (requests as { content: { parts: { text: string }[] } }[]).map(({ content }) => content.parts[0]!.text),
  purpose: ({ requests }) =>
    (requests as { taskType: string }[])[0]?.taskType === 'RETRIEVAL_QUERY' ? 'query' : 'passage',
  answer: (vectors) => ({ embeddings: vectors.map((values) => ({ values })) }),
  tooLong: {
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'The input token count (2900) exceeds the maximum.',
        status: 'INVALID_ARGUMENT',
      },
    },
  },
  tooMany: {
    status: 400,
    body: {
      error: {
        code: 400,
        message: '* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch',
        status: 'INVALID_ARGUMENT',
      },
    },
  },
  rateLimited: {
    status: 429,
    body: {
      error: {
        ...{ code: 429, message: 'You exceeded your current quota.', status: 'RESOURCE_EXHAUSTED' },
        details: [
          { '@type': 'type.googleapis.com/google.rpc.Help', links: [] },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.04s' },
        ],
      },
    },
  },
  badKey: {
    status: 401,
    body: {
      error: {
        code: 401,
        message: 'API key not valid. Please pass a valid API key.',
        status: 'UNAUTHENTICATED',
      },
    },
  },
};

interface ServerOptions {
  readonly format: ProviderFormat;
  /** The vectors of texts. */
  readonly embed: (
    texts: readonly string[],
    purpose: EmbeddingPurpose,
  ) => Promise<readonly (readonly number[])[]>;
  /** A fault in place of the answer to a request. */
  readonly refuse?: (request: ReceivedRequest) => Fault | undefined;
  readonly host?: string;
  readonly port?: number;
}

export interface ProviderServer extends AsyncDisposable {
  /** `http://HOST:PORT` */
  readonly origin: string;
  readonly requests: readonly ReceivedRequest[];
  /** Faults of the next requests, in order. */
  readonly faults: Fault[];
}

export async function startProvider({
  format,
  embed,
  refuse,
  host = '127.0.0.1',
  port = 0,
}: ServerOptions): Promise<ProviderServer> {
  const requests: ReceivedRequest[] = [];
  const faults: Fault[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      const { url: path = '', headers } = request;
      if (path !== format.path) {
        reply(response, { status: 404, body: { error: { message: `no such path: ${path}` } } });
        return;
      }
      const received = { path, headers, body, texts: format.texts(body) };
      requests.push(received);
      const fault = faults.shift() ?? refuse?.(received);
      if (fault === 'hang') return;
      if (fault === 'reset') request.socket.destroy();
      else if (fault !== undefined) reply(response, fault);
      else
        reply(response, {
          status: 200,
          body: format.answer(await embed(received.texts, format.purpose(body)), body),
        });
    })();
  });
  await new Promise<void>((resolve) => void server.listen(port, host, resolve));
  const address = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${String(address.port)}`,
    requests,
    faults,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => void server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function reply(response: ServerResponse, { status, body = {}, headers = {} }: Exclude<Fault, string>): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Vectors of words by their letters: texts that share words are similar. They are not unit vectors. */
export function letterVectors(dimensions: number): ServerOptions['embed'] {
  return (texts) =>
    Promise.resolve(
      texts.map((text) => {
        const vector = Array.from({ length: dimensions }, () => 0.01);
        for (const word of text.toLowerCase().match(/\w+/g) ?? [])
          vector[[...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % dimensions, 7)]! += 2;
        return vector;
      }),
    );
}
