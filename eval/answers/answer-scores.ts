import { mean } from '../metrics.ts';
import type { AskedQuestion, Outcome } from './measure.ts';

/** One system within one budget. Shares are from 0 to 1. */
export interface AnswerScores {
  /** Of all statements that the questions need, those that are in the texts. */
  readonly needs: number;
  /** The questions of which no statement is missing. */
  readonly inFull: number;
  /** Tokens of the texts, on average. */
  readonly tokens: number;
  /** The questions with an answer whose text says that there is none. */
  readonly falselyDenied: number;
  readonly unanswerable: {
    /** The texts that are empty or say that there is no answer. */
    readonly denied: number;
    readonly tokens: number;
  };
}

export function answerScores(asked: readonly AskedQuestion[], system: string, budget: number): AnswerScores {
  const outcomeOf = ({ outcomes }: AskedQuestion): Outcome => outcomes[system]![budget]!;
  const answered = asked.filter(({ cat }) => cat === 'answered');
  const others = asked.filter(({ cat }) => cat !== 'answered').map(outcomeOf);
  const outcomes = answered.map(outcomeOf);
  const needs = answered.reduce((sum, question) => sum + question.needs.length, 0);
  const missing = outcomes.reduce((sum, outcome) => sum + outcome.missing.length, 0);
  return {
    needs: needs === 0 ? 0 : 1 - missing / needs,
    inFull: mean(outcomes.map((outcome) => Number(outcome.missing.length === 0))),
    tokens: mean(outcomes.map((outcome) => outcome.tokens)),
    falselyDenied: mean(outcomes.map((outcome) => Number(outcome.saysNoAnswer))),
    unanswerable: {
      denied: mean(others.map((outcome) => Number(outcome.saysNoAnswer))),
      tokens: mean(others.map((outcome) => outcome.tokens)),
    },
  };
}
