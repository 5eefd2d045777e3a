import { type Ambient, type AmbientHalf, GOALS, type Intrusion, type Recall } from './ambient.ts';
import type { SetResult } from './results.ts';
import { intervalCells, percent, tableLines } from './table.ts';
import type { Unsure, UnsureByCategory } from './unsure.ts';

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

/** The result of one set as text; shares in percent. */
export function setReport(result: SetResult): string[] {
  const sections = [
    [headline(result)],
    systemTable(result),
    categoryTable(result),
    rivalCategoryTable(result),
    abstentionLines(result),
    calibrationLines(result),
    result.ambient === null ? [] : ambientLines(result.ambient),
    ablationTable(result),
    packTable(result),
    rerankedTable(result),
    partlyEmbeddedTable(result),
    typoTable(result),
  ];
  return sections.filter((lines) => lines.length > 0).flatMap((lines) => [...lines, '']);
}

function headline({ set, documents, queries, measure, latency }: SetResult): string {
  return (
    `${set}: ${String(documents)} documents, ${String(queries.length)} queries, main metric ${measure}; ` +
    `a search takes ${latency.p50.toFixed(1)} ms (p95 ${latency.p95.toFixed(1)})`
  );
}

function systemTable({ metrics, baselines }: SetResult): string[] {
  const names = Object.keys(metrics);
  const cells = (of: Readonly<Record<string, number>>): string[] => names.map((name) => percent(of[name]));
  const rivals = Object.entries(baselines);
  const rows = rivals.map(([name, rival]) => [
    name,
    ...cells(rival.metrics),
    ...intervalCells(rival.difference),
  ]);
  const difference = rivals.length === 0 ? [] : ['default minus it', '95% interval'];
  return tableLines([['system', ...names, ...difference], ['default', ...cells(metrics)], ...rows]);
}

function categoryTable({ categories, metrics }: SetResult): string[] {
  const names = Object.keys(metrics);
  const rows = Object.entries(categories).map(([category, { queries, metrics: means }]) => [
    category,
    String(queries),
    ...names.map((name) => percent(means[name])),
  ]);
  return rows.length < 2 ? [] : tableLines([['category', 'queries', ...names], ...rows]);
}

/** The main metric of every system. */
function rivalCategoryTable({ categories, baselines, measure }: SetResult): string[] {
  const rivals = Object.entries(baselines);
  const names = Object.keys(categories);
  if (rivals.length === 0 || names.length < 2) return [];
  const rows = names.map((name) =>
    [categories, ...rivals.map(([, rival]) => rival.categories)].map((of) =>
      percent(of[name]?.metrics[measure]),
    ),
  );
  return tableLines([
    [measure, 'default', ...rivals.map(([name]) => name)],
    ...names.map((name, i) => [name, ...rows[i]!]),
  ]);
}

function abstentionLines({ abstention, config }: SetResult): string[] {
  if (abstention === null) return [];
  const { absent, abstained, falselyAbstained, separation, unsure } = abstention;
  const threshold = config.minScore === 0 ? 'no threshold' : `threshold ${String(config.minScore)}`;
  return [
    `  ${String(absent)} queries have no answer here; ${percent(abstained)}% of them return nothing, and ` +
      `${percent(falselyAbstained)}% of those with an answer (${threshold})`,
    `  a query with an answer has the higher confidence in ${percent(separation)}% of pairs with one without`,
    ...unsureTable(unsure),
  ];
}

function unsureTable(unsure: UnsureByCategory): string[] {
  const halves = [...new Set(Object.values(unsure).flatMap((counts) => Object.keys(counts)))];
  const rows = Object.entries(unsure).map(([category, counts]) => [
    category,
    String(counts['all']?.queries ?? 0),
    ...halves.map((half) => percent(shareOf(counts[half]))),
  ]);
  return tableLines([['nothing surely fits', 'queries', ...halves], ...rows]);
}

function shareOf(counts: Unsure | undefined): number | undefined {
  return counts === undefined ? undefined : counts.unsure / counts.queries;
}

function calibrationLines({ calibration: { auroc, error, bins, hiddenAuroc } }: SetResult): string[] {
  if (bins.length === 0) return [];
  const area = auroc === null ? 'no AUROC, since all are right or none is' : `AUROC ${auroc.toFixed(3)}`;
  const rows = bins.map(({ queries, score, right }) => [percent(score), percent(right), String(queries)]);
  return [
    `  score of the first result, and whether a right one is within five: ${area}, calibration error ${error.toFixed(3)};` +
      ` the query answered or its relevant documents hidden: AUROC ${hiddenAuroc.toFixed(3)}`,
    ...tableLines([['mean score', 'right within 5', 'queries'], ...rows]),
  ];
}

function packTable({ packs }: SetResult): string[] {
  if (packs === null) return [];
  const budgets = Object.keys(Object.values(packs)[0] ?? {});
  const rows = Object.entries(packs).map(([system, recalls]) => [
    system,
    ...budgets.map((budget) => percent(recalls[budget])),
  ]);
  return tableLines([['recall at tokens', ...budgets], ...rows]);
}

function rerankedTable({ reranked, metrics, latency }: SetResult): string[] {
  if (reranked === null) return [];
  const names = Object.keys(metrics);
  const cells = (of: Readonly<Record<string, number>>): string[] => names.map((name) => percent(of[name]));
  const ms = (of: typeof latency): string[] => [of.p50.toFixed(1), of.p95.toFixed(1)];
  return tableLines([
    ['last stage', ...names, 'p50 ms', 'p95 ms', 'gain', '95% interval'],
    ['none', ...cells(metrics), ...ms(latency)],
    [
      'word overlap',
      ...cells(reranked.metrics),
      ...ms(reranked.latency),
      ...intervalCells(reranked.difference),
    ],
  ]);
}

function partlyEmbeddedTable({ partly, measure, metrics }: SetResult): string[] {
  if (partly.length === 0) return [];
  const names = Object.keys(metrics);
  const rows = partly.map(({ order, share, metrics: means, difference }) => [
    order,
    `${percent(share)}%`,
    ...names.map((name) => percent(means[name])),
    ...intervalCells(difference),
  ]);
  return tableLines([
    ['order', 'embedded', ...names, `${measure} minus words alone`, '95% interval'],
    ...rows,
  ]);
}

function ablationTable({ ablation, measure, metrics }: SetResult): string[] {
  const rows = Object.entries(ablation).map(([name, { metrics: without, difference }]) => [
    name,
    percent(without['R@1']),
    percent(without[measure]),
    ...intervalCells(difference),
  ]);
  if (rows.length === 0) return [];
  const all = ['nothing', percent(metrics['R@1']), percent(metrics[measure])];
  return tableLines([['without', 'R@1', measure, 'gain', '95% interval'], all, ...rows]);
}

function typoTable({ typos, measure }: SetResult): string[] {
  const rows = Object.entries(typos).map(([name, { metrics, lost }]) => [
    name,
    percent(metrics[measure]),
    ...intervalCells({ mean: -lost.mean, low: -lost.high, high: -lost.low }),
  ]);
  return rows.length === 0 ? [] : tableLines([['two typos', measure, 'change', '95% interval'], ...rows]);
}
