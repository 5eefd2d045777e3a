import { LociError } from '../../src/core/errors.ts';
import { NO_CLEAR_ANSWER } from '../../src/pack/render.ts';
import { ITEM_MARK } from '../../src/pack/text/span.ts';
import type { CountTokens } from '../../src/pack/tokens.ts';
import { Progress } from '../progress.ts';
import { missingNeeds, type Question } from './question-set.ts';
import type { Asked } from './systems.ts';

/** Whether a text is empty, or says before its first item that no note clearly answers. */
export function saysNoAnswer(text: string): boolean {
  if (text === '') return true;
  const [beginning = ''] = text.split(ITEM_MARK, 1);
  return beginning.includes(NO_CLEAR_ANSWER);
}

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
  readonly first: FirstResult;
}

/** What the first result of a search shows of what the question needs. */
export interface FirstResult {
  /** Whether it is a note that has a needed statement. */
  readonly isRight: boolean;
  /** Whether a needed statement is in the lines that its citation names. */
  readonly inLines: boolean;
  /** Whether one is in these lines or in those of the second place. */
  readonly inPlaces: boolean;
  /** Whether one is in its snippet. */
  readonly inSnippet: boolean;
}

/**
 * Asks every system every question within every budget, and searches for it.
 * @throws LociError `aborted`, and the errors of the systems
 */
export async function askAll(
  corpus: string,
  questions: readonly Question[],
  { systems, first }: Asked,
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
    asked.push({ ...question, corpus, outcomes, first: await first(question) });
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
