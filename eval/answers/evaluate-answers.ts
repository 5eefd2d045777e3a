import { loadTokenCounter } from '../../src/pack/tokens.ts';
import type { EvalConfiguration } from '../configuration.ts';
import type { Model } from '../model.ts';
import { askAll, type AskedQuestion } from './measure.ts';
import { openCorpus } from './open-corpus.ts';
import type { Corpus, Question } from './question-set.ts';
import { systemsOf } from './systems.ts';

interface AnswerOptions {
  /** Only these questions. */
  readonly half: Question['half'] | null;
  readonly signal?: AbortSignal;
  /** The folder of the indexed corpora; the repository's cache unless given. */
  readonly folder?: string;
}

/** Indexes the corpora unless they are indexed, and asks all systems their questions. */
export async function evaluateAnswers(
  corpora: readonly Corpus[],
  configuration: EvalConfiguration,
  model: Pick<Model, 'embedder'>,
  { half, signal, folder }: AnswerOptions,
): Promise<AskedQuestion[]> {
  const count = await loadTokenCounter();
  const asked: AskedQuestion[] = [];
  for (const corpus of corpora) {
    const loci = await openCorpus(corpus, configuration, folder);
    try {
      const asking = await systemsOf(corpus, loci, model, count);
      const questions = corpus.questions.filter((question) => half === null || question.half === half);
      asked.push(...(await askAll(corpus.id, questions, asking, count, signal)));
    } finally {
      await loci.close();
    }
  }
  return asked;
}
