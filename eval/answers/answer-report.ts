import { mean } from '../metrics.ts';
import { percent, tableLines } from '../table.ts';
import { type AskedQuestion, BUDGETS, type FirstResult, type Outcome } from './measure.ts';

/** One system within one budget. Shares are from 0 to 1. */
interface AnswerScores {
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

/** Two tables for all questions, and for each corpus and each half of them. */
export function answerReport(asked: readonly AskedQuestion[]): string[] {
  const parts = [
    ...Object.entries(Object.groupBy(asked, ({ corpus }) => corpus)),
    ...Object.entries(Object.groupBy(asked, ({ half }) => half)),
  ].filter(([, questions = []]) => questions.length < asked.length);
  return [['all', asked] as const, ...parts].flatMap(([name, questions = []]) => partLines(name, questions));
}

function partLines(name: string, asked: readonly AskedQuestion[]): string[] {
  const systems = Object.keys(asked[0]?.outcomes ?? {});
  const answered = asked.filter(({ cat }) => cat === 'answered');
  const needs = answered.reduce((sum, question) => sum + question.needs.length, 0);
  const table = (title: string, cell: (scores: AnswerScores) => string): string[] =>
    tableLines([
      [title, ...BUDGETS.map((budget) => `${String(budget)} tokens`)],
      ...systems.map((system) => [
        system,
        ...BUDGETS.map((budget) => cell(answerScores(asked, system, budget))),
      ]),
    ]);
  return [
    `${name}: ${String(answered.length)} questions that need ${String(needs)} statements, ` +
      `and ${String(asked.length - answered.length)} without an answer`,
    '',
    ...table('statements / in full (tokens)', (scores) =>
      [percent(scores.needs), '/', percent(scores.inFull), tokens(scores.tokens)].join(' '),
    ),
    '',
    ...firstResultLines(answered),
    '',
    ...table('no answer: said / falsely (tokens)', ({ unanswerable, falselyDenied }) =>
      [percent(unanswerable.denied), '/', percent(falselyDenied), tokens(unanswerable.tokens)].join(' '),
    ),
    '',
  ];
}

/** How often the first result is of a right note, and how often it then shows a statement that the question needs. */
function firstResultLines(answered: readonly AskedQuestion[]): string[] {
  const right = answered.filter(({ first }) => first.isRight).map(({ first }) => first);
  const share = (has: (first: FirstResult) => boolean): string => {
    const held = right.filter(has).length;
    return `${percent(right.length === 0 ? 0 : held / right.length)} (${String(held)})`;
  };
  return tableLines([
    ['first result', 'right note', 'cited lines hold it', 'with the second place', 'snippet holds it'],
    [
      'search',
      `${percent(answered.length === 0 ? 0 : right.length / answered.length)} (${String(right.length)})`,
      share(({ inLines }) => inLines),
      share(({ inPlaces }) => inPlaces),
      share(({ inSnippet }) => inSnippet),
    ],
  ]);
}

function tokens(count: number): string {
  return `(${count.toFixed(0)})`;
}
