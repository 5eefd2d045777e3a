import type { Config } from '../../config/schema.ts';
import { ERROR_TABLE, LociError } from '../../core/errors.ts';
import { pickSignal, type ProgressOptions } from '../../core/progress.ts';
import type { Embedder } from '../../embed/embedder.ts';
import { knownModel } from '../../embed/models.ts';
import { openEmbedder } from '../../embed/registry.ts';

/** The results of a test of the configured provider. Times are in milliseconds. */
export interface EmbedderTest {
  readonly provider: string;
  readonly model: string;
  /** Of the vectors that it returns. */
  readonly dimensions: number;
  /** Whether the settings must name them, because Loci does not know the model. */
  readonly mustSetDimensions: boolean;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  readonly maxTokens: number;
  /** Until the first query was answered, including the start of a model. */
  readonly firstMs: number;
  /** The median of the queries after it. */
  readonly latencyMs: number;
  readonly textsPerSecond: number;
  /** By the bundled model's vocabulary. */
  readonly tokensPerSecond: number;
  /** Mean cosines of questions: with passages that answer them in other words, and with passages about something else. */
  readonly paraphrase: number;
  readonly stranger: number;
  /** Whether every paraphrase is more similar than its stranger. */
  readonly isSane: boolean;
}

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
): Promise<EmbedderTest> {
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
    return { ...measured, mustSetDimensions: !isKnown && embedding.dimensions === undefined };
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

async function measure(
  embedder: Embedder,
  options: { readonly signal?: AbortSignal },
): Promise<Omit<EmbedderTest, 'mustSetDimensions'>> {
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
  const { query = '', passage = '' } = embedder.prefixes ?? {};
  return {
    ...{ provider: embedder.provider, model: embedder.model, dimensions: embedder.dimensions },
    ...{ queryPrefix: query, passagePrefix: passage, maxTokens: embedder.maxTokens },
    firstMs,
    latencyMs: queries.toSorted((a, b) => a - b)[Math.floor(QUERIES / 2)]!,
    textsPerSecond: PASSAGES / seconds,
    tokensPerSecond: tokens / seconds,
    ...(await compare(embedder, options)),
  };
}

/** Questions against passages, as in a search. */
async function compare(
  embedder: Embedder,
  options: { readonly signal?: AbortSignal },
): Promise<Pick<EmbedderTest, 'isSane' | 'paraphrase' | 'stranger'>> {
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
    paraphrase: mean('paraphrase'),
    stranger: mean('stranger'),
    isSane: cosines.every(({ paraphrase, stranger }) => paraphrase > stranger),
  };
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, component, i) => sum + component * b[i]!, 0);
}
