import { GOALS, type Ambient, type AmbientHalf, type Intrusion, type Recall } from './ambient.ts';
import { intervalCells, percent, tableLines } from './table.ts';

/** Recall of the documents of sources and their cost for the notes: a column for each half of the queries. */
export function ambientLines({ halves }: Ambient): string[] {
  const columns = Object.entries(halves);
  const row = (name: string, cell: (half: AmbientHalf) => string): string[] => [
    name,
    ...columns.map(([, half]) => cell(half)),
  ];
  const kinds = (
    part: (half: AmbientHalf) => Readonly<Record<string, Recall>>,
    name: (kind: string) => string,
  ) =>
    [...new Set(columns.flatMap(([, half]) => Object.keys(part(half))))].map((kind) =>
      row(name(kind), (half) => recallCell(part(half)[kind])),
    );
  return tableLines([
    ['documents of sources', ...columns.map(([name]) => name)],
    ...kinds(
      ({ recall }) => recall.categories,
      (kind) => `recall, ${kind} queries`,
    ),
    ...kinds(
      ({ recall }) => recall.sources,
      (source) => `recall, from ${source}`,
    ),
    row('openers: relevant documents that are shown', ({ shown }) => percent(shown.recall)),
    row('… shown documents that are relevant', ({ shown }) => percent(shown.precision)),
    row('queries without a relevant document that show one', ({ shown }) => percent(shown.unrelated)),
    row('related documents alone: relevant ones that are shown', ({ relatedAlone }) =>
      percent(relatedAlone.recall),
    ),
    row('… shown ones that are relevant', ({ relatedAlone }) => percent(relatedAlone.precision)),
    row('… queries without a relevant document that show one', ({ relatedAlone }) =>
      percent(relatedAlone.unrelated),
    ),
    row('recall, all', ({ recall }) => recallCell(recall.all)),
    row('queries answered by notes: nDCG@10 without sources', ({ notes }) => percent(notes.alone)),
    row('… with sources', ({ notes }) => percent(notes.together)),
    row('… the loss', ({ notes }) => intervalCells(notes.loss).join(' ')),
    row('… a source among the first 3', ({ notes }) => shareCell(notes, 'first3')),
    row('… a source among the first 10', ({ notes }) => shareCell(notes, 'first10')),
    row('… related documents', ({ notes }) => notes.related.toFixed(1)),
    row('queries without an answer: a source among the first 3', ({ nothing }) =>
      shareCell(nothing, 'first3'),
    ),
    row('… a source among the first 10', ({ nothing }) => shareCell(nothing, 'first10')),
    row('… related documents', ({ nothing }) => nothing.related.toFixed(1)),
    row(`goal: recall of todos at least ${percent(GOALS.recall)}`, ({ recall, met }) =>
      verdict(percent(recall.todos.recall), met.recall),
    ),
    row(`goal: loss at most ${percent(GOALS.loss)}`, ({ notes, met }) =>
      verdict(percent(notes.loss.mean), met.loss),
    ),
  ]);
}

function recallCell(recall: Recall | undefined): string {
  return recall === undefined ? '' : `${percent(recall.recall)} of ${String(recall.queries)}`;
}

function shareCell(intrusion: Intrusion, ranks: 'first3' | 'first10'): string {
  return `${String(intrusion[ranks])} of ${String(intrusion.queries)}`;
}

function verdict(figure: string, met: boolean): string {
  return `${figure} ${met ? 'met' : 'missed'}`;
}
