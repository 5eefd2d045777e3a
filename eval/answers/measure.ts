import { LociError } from '../../src/core/errors.ts';
import type { CountTokens } from '../../src/pack/tokens.ts';
import { Progress } from '../progress.ts';
import { missingNeeds } from './missing-needs.ts';
import type { Question } from './question-set.ts';
import { saysNoAnswer } from './says-no-answer.ts';
import type { AnswerSystem } from './systems.ts';

/** Tokens of o200k. */
export const BUDGETS: readonly number[] = [500, 1000, 2000, 4000];

/** What a system gave for a question within a budget. */
export interface Outcome {
  readonly tokens: number;
  /** Whether the text is empty or begins with the words that no note clearly answers. */
  readonly saysNoAnswer: boolean;
  /** The statements that the text lacks. */
  readonly missing: readonly string[];
}

export interface AskedQuestion extends Question {
  readonly corpus: string;
  /** By system and budget. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<number, Outcome>>>>;
}

/**
 * Asks every system every question within every budget.
 * @throws LociError `aborted`, and the errors of the systems
 */
export async function askAll(
  corpus: string,
  questions: readonly Question[],
  systems: readonly AnswerSystem[],
  count: CountTokens,
  signal?: AbortSignal,
): Promise<AskedQuestion[]> {
  const progress = new Progress(`${corpus}, answers`, 'questions');
  const asked: AskedQuestion[] = [];
  for (const question of questions) {
    if (signal?.aborted === true) throw new LociError('aborted', 'the evaluation was stopped');
    const outcomes: Record<string, Record<number, Outcome>> = {};
    for (const system of systems) {
      const ofSystem: Record<number, Outcome> = (outcomes[system.name] = {});
      const textWithin = await system.ask(question.q);
      for (const budget of BUDGETS) ofSystem[budget] = outcomeOf(question, await textWithin(budget), count);
    }
    asked.push({ ...question, corpus, outcomes });
    progress.report(asked.length, questions.length);
  }
  progress.end();
  return asked;
}

function outcomeOf({ needs }: Question, text: string, count: CountTokens): Outcome {
  return {
    tokens: count(text),
    saysNoAnswer: saysNoAnswer(text),
    missing: missingNeeds(needs, text).map((need) => need.text),
  };
}
