import { percent, tableLines } from '../table.ts';
import { answerScores, type AnswerScores } from './answer-scores.ts';
import { BUDGETS, type AskedQuestion, type FirstResult } from './measure.ts';

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
