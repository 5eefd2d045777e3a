import { z } from 'zod';
import { command, duration } from './values.ts';

const name = () => z.string().min(1).max(255);
/** A prefix may be empty, which takes away the one that the model would have. */
const prefix = () => z.string().max(1000).exactOptional();

export const embedding = z.strictObject({
  provider: z
    .enum(['local', 'ollama', 'openai', 'openai-compatible', 'voyage', 'gemini', 'command', 'none'])
    .default('local')
    .describe(
      'What makes embeddings: `local` is the bundled model, which works offline; `none` searches by text and recency only. ' +
        'All others are described in docs/providers.md; `loci embed test` tries them.',
    ),
  model: name()
    .exactOptional()
    .describe(
      'The name of the model, as the provider calls it. The default is `nomic-embed-text` for Ollama, ' +
        '`text-embedding-3-small` for OpenAI, `voyage-3.5` for Voyage and `gemini-embedding-001` for Gemini.',
    ),
  dimensions: z
    .number()
    .int()
    .min(1)
    .max(8192)
    .exactOptional()
    .describe(
      'The length of the vectors. Only needed for a model that Loci does not know, or for fewer dimensions than the model has.',
    ),
  url: name()
    .exactOptional()
    .describe(
      'The address of the provider, such as `http://localhost:11434` for Ollama, or `https://llm.example.org/v1` for ' +
        '`openai-compatible`, which needs it. Nothing is sent to another host.',
    ),
  apiKey: name()
    .exactOptional()
    .describe(
      'Where the key is: `env:NAME` is a variable, `file:/path` a file. The default is the variable of the provider: ' +
        '`OPENAI_API_KEY`, `VOYAGE_API_KEY`, `GEMINI_API_KEY` or `OLLAMA_API_KEY`. A key itself belongs into `LOCI_EMBEDDING_API_KEY`, not ' +
        'into the file.',
    ),
  command: command()
    .exactOptional()
    .describe(
      'The program of the provider `command`. It runs without a shell; docs/providers.md has its protocol.',
    ),
  commandMode: z
    .enum(['stream', 'once'])
    .default('stream')
    .describe(
      '`stream` starts the command once and sends it many requests; `once` starts it for each request.',
    ),
  commandEnv: z
    .array(name())
    .default([])
    .describe(
      'Names of the variables that the command may read, in addition to `PATH`, `HOME`, `LANG` and `TMPDIR`.',
    ),
  queryPrefix: prefix().describe(
    'What is put in front of a query, in place of what the model is known to need. Another prefix makes other vectors.',
  ),
  passagePrefix: prefix().describe('What is put in front of a passage, likewise.'),
  maxTokens: z
    .number()
    .int()
    .min(32)
    .max(1_000_000)
    .exactOptional()
    .describe('The longest text that the model reads. A longer one is embedded in parts, and never cut off.'),
  batchSize: z
    .number()
    .int()
    .min(1)
    .max(2048)
    .exactOptional()
    .describe('How many texts one request has at most. The default depends on the provider.'),
  batchTokens: z
    .number()
    .int()
    .min(64)
    .max(1_000_000)
    .exactOptional()
    .describe(
      'How many tokens one request has at most, by an estimate. The default depends on the provider.',
    ),
  concurrency: z
    .number()
    .int()
    .min(1)
    .max(64)
    .exactOptional()
    .describe('How many requests run at once. The default depends on the provider.'),
  requestsPerMinute: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .exactOptional()
    .describe('The rate limit of your account: requests for passages keep to it. Unlimited unless set.'),
  pricePerMillionTokens: z
    .number()
    .min(0)
    .max(1_000_000)
    .exactOptional()
    .describe(
      'The price of a million tokens, in any currency. `loci embed backfill --dry-run` multiplies by it.',
    ),
  timeout: duration('30s').describe(
    'How long a request for passages may take. A search waits for the usual time of an answer and 100 ms, and longer after late answers.',
  ),
  allowLinkLocal: z
    .boolean()
    .default(false)
    .describe(
      'Whether `url` may lead to a link-local address, such as 169.254.1.1, or to one where clouds have the credentials of ' +
        'their machines.',
    ),
  revectorize: z
    .boolean()
    .default(true)
    .describe(
      'Whether the processes of Loci let V8 compile the bundled model for AVX2, where the processor has it. This makes ' +
        'embedding up to twice as fast and changes no vector, which a self-test checks bit by bit.',
    ),
});

export type EmbeddingSettings = z.infer<typeof embedding>;

/** Sentences about settings of `embedding` that have no effect. They are keyed by the path of the setting. */
export function unusedEmbeddingSettings({
  provider,
  model,
  dimensions,
}: EmbeddingSettings): ReadonlyMap<string, string> {
  if (provider !== 'local' && provider !== 'none') return new Map();
  const instead =
    provider === 'local'
      ? 'the bundled model makes embeddings of 384 dimensions; choose another with `embedding.provider`'
      : 'nothing is embedded with `embedding.provider: none`';
  const given = Object.entries({ model, dimensions }).filter(([, value]) => value !== undefined);
  return new Map(
    given.map(([key]) => [`embedding.${key}`, `embedding.${key} is ignored; ${instead}`] as const),
  );
}

export const rerank = z.strictObject({
  provider: z
    .enum(['none', 'voyage', 'cohere', 'jina', 'server'])
    .default('none')
    .describe(
      'What puts the first 50 results of a search into another order. `server` is any server with `POST /rerank`, such as TEI, ' +
        'llama.cpp or vLLM. The query and the texts of these results are sent to it; docs/providers.md describes each.',
    ),
  model: name()
    .exactOptional()
    .describe(
      'The name of the model. The default is `rerank-2.5-lite` for Voyage, `rerank-v3.5` for Cohere and ' +
        '`jina-reranker-v2-base-multilingual` for Jina; a server has its own.',
    ),
  url: name()
    .exactOptional()
    .describe(
      'The address of the provider up to the path before `/rerank`, such as `http://localhost:8080`, which `server` needs. ' +
        'Nothing is sent to another host.',
    ),
  apiKey: name()
    .exactOptional()
    .describe(
      'Where the key is: `env:NAME` is a variable, `file:/path` a file. The default is the variable of the provider: ' +
        '`VOYAGE_API_KEY`, `COHERE_API_KEY` or `JINA_API_KEY`. A key itself belongs into `LOCI_RERANK_API_KEY`, not into the file.',
    ),
  deadline: duration('300ms').describe(
    'How long a search waits for the reranker. Past it, the order stays as it was, and the answer says so.',
  ),
  allowLinkLocal: z
    .boolean()
    .default(false)
    .describe('Whether `url` may lead to a link-local address, as for `embedding.allowLinkLocal`.'),
});

export type RerankSettings = z.infer<typeof rerank>;
