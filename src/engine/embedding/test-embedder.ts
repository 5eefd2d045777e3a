import { z } from 'zod';
import type { Config } from '../../config/schema.ts';
import { ERROR_TABLE, LociError } from '../../core/errors.ts';
import { pickSignal, type ProgressOptions } from '../../core/progress.ts';
import type { Embedder } from '../../embed/embedder.ts';
import { MAX_QUERY_WAIT_MS } from '../../embed/http/availability.ts';
import { knownModel } from '../../embed/models.ts';
import { openEmbedder } from '../../embed/registry.ts';
import { millisecondsSince, tookMs } from '../fields/times.ts';

const milliseconds = () => z.number().nonnegative();
const similarity = () => z.number().min(-1.001).max(1.001);

export const embedTestOutput = z.strictObject({
  provider: z.string(),
  model: z.string(),
  dimensions: z.number().int().positive().describe('The length of the vectors that the model returns.'),
  configured_dimensions: z
    .number()
    .int()
    .positive()
    .nullable()
    .describe('The setting `embedding.dimensions`.'),
  must_set_dimensions: z
    .boolean()
    .describe(
      'Whether that setting is missing: Loci does not know the model, and embeds nothing without it.',
    ),
  query_prefix: z.string().describe('What is put in front of queries.'),
  passage_prefix: z.string().describe('What is put in front of passages.'),
  max_tokens: z.number().int().positive().describe('The longest text that is sent in one piece.'),
  first_ms: milliseconds().describe('The time of the first answer, including the start of a model.'),
  latency_ms: milliseconds().describe('The median time of an answer to a query.'),
  search_wait_ms: milliseconds().describe(
    'How long a search waits for an answer at most. With a longer latency, searches go on by words.',
  ),
  texts_per_second: milliseconds(),
  tokens_per_second: milliseconds(),
  paraphrase: similarity().describe(
    'The mean similarity of questions with passages that answer them in other words.',
  ),
  stranger: similarity().describe(
    'The mean similarity of the same questions with passages about something else.',
  ),
  sane: z.boolean().describe('Whether every paraphrase is more similar than its stranger.'),
  took_ms: tookMs(),
});
export type EmbedTestOutput = z.infer<typeof embedTestOutput>;

interface Sample {
  readonly question: string;
  readonly paraphrase: string;
  readonly stranger: string;
}

const SAMPLES: readonly Sample[] = [
  {
    question: 'When does the school year begin?',
    paraphrase: 'Classes start again on the first Monday of September.',
    stranger: 'The winter tyres are in the shed behind the bicycles.',
  },
  {
    question: 'how do people cook in this household',
    paraphrase: 'We chose an induction stove for the kitchen, because gas makes the asthma worse.',
    stranger: 'Her flight to Lisbon was cancelled because of the storm.',
  },
  {
    question: 'Which doctor looks after the dog?',
    paraphrase: 'The vet in Mill Lane vaccinated our puppy.',
    stranger: 'The invoice for the roof must be paid within thirty days.',
  },
];
const QUERIES = 7;
const REPORT_INTERVAL_MS = 1000;
/** About as many texts and tokens as a small vault has. */
const PASSAGES = 64;
const PASSAGE = `${SAMPLES.map(({ paraphrase }) => paraphrase).join(' ')} It was discussed at length last week.`;

/**
 * Tries the configured provider without a store, with a few hundred short texts. It need not be known how long its vectors are.
 * @throws LociError `invalid_config`, `embedding_unavailable`, `aborted`; `invalid_input` if there is nothing to try
 */
export async function testEmbedder(
  { embedding }: Config,
  options: ProgressOptions = {},
): Promise<EmbedTestOutput> {
  const started = performance.now();
  const waiting = new WaitingReporter(options);
  const trial = { onRepeat: (why: string) => waiting.repeats(why) };
  const embedder = await openEmbedder({ ...embedding, trial, quotesProvider: true });
  if (embedder === null)
    throw new LociError('invalid_input', 'embedding.provider is none: nothing is embedded', {
      hint: 'Choose a provider: `loci config set embedding.provider ollama`. docs/providers.md describes each.',
    });
  try {
    waiting.start(`${embedder.provider} ${embedder.model}`);
    const measured = await measure(embedder, pickSignal(options));
    const isKnown = embedder.isRemote !== true || knownModel(embedder.model) !== undefined;
    return {
      ...{ provider: embedder.provider, model: embedder.model, dimensions: embedder.dimensions },
      configured_dimensions: embedding.dimensions ?? null,
      must_set_dimensions: !isKnown && embedding.dimensions === undefined,
      query_prefix: embedder.prefixes?.query ?? '',
      passage_prefix: embedder.prefixes?.passage ?? '',
      max_tokens: embedder.maxTokens,
      ...measured,
      search_wait_ms: MAX_QUERY_WAIT_MS,
      took_ms: millisecondsSince(started),
    };
  } catch (error) {
    throw withHint(error);
  } finally {
    waiting.end();
    await embedder.close();
  }
}

/** The general hint is to run this test. */
function withHint(error: unknown): unknown {
  const { hint } = ERROR_TABLE.embedding_unavailable;
  if (!(error instanceof LociError) || error.code !== 'embedding_unavailable' || error.hint !== hint)
    return error;
  return new LociError(error.code, error.message, {
    hint: 'Check that it runs, and the settings of `embedding`: docs/providers.md describes each provider. A request may take `embedding.timeout` milliseconds, 30000 unless set.',
    cause: error,
  });
}

/** Reports again and again what the caller waits for, so that a provider without an answer is not silent. */
class WaitingReporter {
  readonly #report: ProgressOptions['onProgress'];
  #timer: NodeJS.Timeout | undefined;
  #name = '';

  constructor({ onProgress }: ProgressOptions) {
    this.#report = onProgress;
  }

  start(name: string): void {
    this.#name = name;
    this.#waitFor(name);
  }

  repeats(why: string): void {
    this.#waitFor(`${this.#name}, second try: ${why}`);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #waitFor(subject: string): void {
    this.end();
    const report = (): void => this.#report?.({ stage: 'waiting', subject, done: 0, total: 0 });
    this.#timer = setInterval(report, REPORT_INTERVAL_MS).unref();
    report();
  }
}

type Measured = Pick<
  EmbedTestOutput,
  'first_ms' | 'latency_ms' | 'texts_per_second' | 'tokens_per_second' | 'sane' | 'paraphrase' | 'stranger'
>;

async function measure(embedder: Embedder, options: { readonly signal?: AbortSignal }): Promise<Measured> {
  const timed = async (texts: readonly string[], purpose: 'passage' | 'query'): Promise<number> => {
    const started = performance.now();
    await embedder.embed(texts, { purpose, patient: true, ...options });
    return performance.now() - started;
  };
  // The first text may start a model.
  const firstMs = await timed(['loci'], 'passage');
  const queries: number[] = [];
  for (let i = 0; i < QUERIES; i++)
    queries.push(await timed([SAMPLES[i % SAMPLES.length]!.question], 'query'));
  const passages = Array.from({ length: PASSAGES }, (_, i) => `${String(i)}. ${PASSAGE}`);
  const seconds = (await timed(passages, 'passage')) / 1000;
  const tokens = passages.reduce((sum, passage) => sum + embedder.countTokens(passage), 0);
  return {
    first_ms: rounded(firstMs),
    latency_ms: rounded(queries.toSorted((a, b) => a - b)[Math.floor(QUERIES / 2)]!),
    texts_per_second: rounded(PASSAGES / seconds),
    tokens_per_second: Math.round(tokens / seconds),
    ...(await compare(embedder, options)),
  };
}

function rounded(value: number, precision = 10): number {
  return Math.round(value * precision) / precision;
}

/** Questions against passages, as in a search. */
async function compare(
  embedder: Embedder,
  options: { readonly signal?: AbortSignal },
): Promise<Pick<EmbedTestOutput, 'sane' | 'paraphrase' | 'stranger'>> {
  const passages = SAMPLES.flatMap(({ paraphrase, stranger }) => [paraphrase, stranger]);
  const vectors = await embedder.embed(passages, { purpose: 'passage', ...options });
  const cosines: { paraphrase: number; stranger: number }[] = [];
  for (const [i, { question }] of SAMPLES.entries()) {
    const [query] = await embedder.embed([question], { purpose: 'query', patient: true, ...options });
    cosines.push({
      paraphrase: cosine(query!, vectors[2 * i]!),
      stranger: cosine(query!, vectors[2 * i + 1]!),
    });
  }
  const mean = (part: 'paraphrase' | 'stranger'): number =>
    cosines.reduce((sum, each) => sum + each[part], 0) / cosines.length;
  return {
    paraphrase: rounded(mean('paraphrase'), 1000),
    stranger: rounded(mean('stranger'), 1000),
    sane: cosines.every(({ paraphrase, stranger }) => paraphrase > stranger),
  };
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, component, i) => sum + component * b[i]!, 0);
}
