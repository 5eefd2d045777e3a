import { formatCount } from '../../../core/text/format-count.ts';
import type {
  GoldenDiffOutput,
  GoldenOutput,
  GoldenRun,
  GoldenRecordOutput,
  GoldenListOutput,
} from '../../../engine/golden/golden-fields.ts';
import { SIGNAL_WORDS } from '../../../engine/records/results/reasons.ts';
import { oneLine } from '../../shared/escape-control.ts';
import type { OperationCommand, View } from './operation-command.ts';

export const goldenRecord: OperationCommand<GoldenRecordOutput> = {
  operands: [{ field: 'query', label: 'query', takes: 'words' }],
  shortOptions: { count: 'n' },
  warnings: ({ missing, notices }) => [
    ...notices.map(oneLine),
    ...missing.map(
      ({ signal, why }) =>
        `the recorded places may lack ${SIGNAL_WORDS[signal]}: ${oneLine(why)}. To record the query again replaces them`,
    ),
  ],
  render: (golden) =>
    golden.dry_run
      ? `${oneLine(golden.query)}\n${expectedText(golden)}Nothing was recorded.\n`
      : `${golden.id}  ${oneLine(golden.query)}\n${expectedText(golden)}` +
        'Recorded. `loci golden replay` compares with it.\n',
};

export const goldenList: OperationCommand<GoldenListOutput> = {
  render: ({ queries }, { style }) =>
    queries.length === 0
      ? 'No golden queries. `loci golden record QUERY` keeps what a query finds now.\n'
      : queries
          .map(
            (golden) =>
              `${golden.id}  ${style.bold(oneLine(golden.query))}${projectText(golden)}\n${expectedText(golden)}`,
          )
          .join(''),
};

export const goldenRemove: OperationCommand<GoldenOutput> = {
  operands: [{ field: 'id', label: 'id', takes: 'one' }],
  render: ({ query }) => `Removed ${JSON.stringify(oneLine(query))}.\n`,
};

export const goldenReplay: OperationCommand<GoldenRun> = {
  isLong: true,
  shortOptions: { limit: 'n' },
  exitCode: ({ missing, failed = [] }) => (missing + failed.length === 0 ? 0 : 1),
  warnings: ({ queries, failed = [] }) => [
    ...failed.map(
      ({ id, query, why }) =>
        `${id} ${JSON.stringify(oneLine(query))} was left out: ${oneLine(why)}; \`loci golden remove ${id}\` removes it`,
    ),
    ...new Set(queries.flatMap(({ missing_signals: missing }) => missing.map(oneLine))),
  ],
  render: (run, view) => {
    const changed = run.queries.flatMap((query) => replayedText(query, view));
    const asRecorded = run.queries.length - changed.length;
    return (
      `${changed.join('')}${formatCount(run.queries.length, 'query', 'queries')}, ${String(asRecorded)} as recorded, ` +
      `${formatCount(run.missing, 'expected record')} missing; recall@${String(run.limit)} ${run.recall.toFixed(3)}, ` +
      `MRR ${run.mrr.toFixed(3)}, ${oneLine(run.provider)}\n`
    );
  },
};

export const goldenDiff: OperationCommand<GoldenDiffOutput> = {
  isLong: true,
  operands: [
    { field: 'before', label: 'before', takes: 'one' },
    { field: 'after', label: 'after', takes: 'one' },
  ],
  inputOnly: ['before_run', 'after_run'],
  exitCode: ({ lost }) => (lost === 0 ? 0 : 1),
  warnings: ({ only_before: before, only_after: after }) => [
    ...before.map((query) => `only in the earlier run: ${oneLine(query)}`),
    ...after.map((query) => `only in the later run: ${oneLine(query)}`),
  ],
  render: (output, { style }) => {
    const lines = output.changed.flatMap(({ query, lost, gone, moved, new: added }) => [
      style.bold(oneLine(query)),
      ...lost.map(({ citation, rank }) =>
        style.bad(`  - ${oneLine(citation)}, expected, was ${String(rank)}`),
      ),
      ...gone.map(({ citation, rank }) => `  - ${oneLine(citation)}, was ${String(rank)}`),
      ...added.map(({ citation, rank }) => style.good(`  + ${oneLine(citation)}, ${String(rank)}`)),
      ...moved.map(
        ({ citation, before, after }) => `  ~ ${oneLine(citation)}, ${String(before)} → ${String(after)}`,
      ),
    ]);
    return [...lines, totalsText(output)].map((line) => `${line}\n`).join('');
  },
};

function totalsText({ compared, changed, recall, mrr }: GoldenDiffOutput): string {
  const text = ({ before, after }: GoldenDiffOutput['recall']) =>
    `${before.toFixed(3)} → ${after.toFixed(3)}`;
  return (
    `${formatCount(compared, 'query', 'queries')} compared, ${String(changed.length)} changed; ` +
    `recall ${text(recall)}, MRR ${text(mrr)}`
  );
}

function projectText({ project }: GoldenOutput): string {
  return project === null ? '' : ` (project ${oneLine(project)})`;
}

function expectedText({ expected }: GoldenOutput): string {
  return expected
    .map(
      ({ citation, rank }) => `  ${(rank === null ? '–' : String(rank)).padStart(3)}  ${oneLine(citation)}\n`,
    )
    .join('');
}

/** Empty if everything is as recorded. */
function replayedText(
  { query, expected, unexpected }: GoldenRun['queries'][number],
  { style }: View,
): string[] {
  const moved = expected.filter(({ rank, recorded_rank: before }) => rank !== before);
  if (moved.length + unexpected.length === 0) return [];
  const lines = moved.map(({ citation, rank, recorded_rank: before }) => {
    const from = before === null ? 'not found' : String(before);
    const text = `  ${rank === null ? '-' : '~'} ${oneLine(citation)}, ${from} → ${rank === null ? 'missing' : String(rank)}`;
    return rank === null ? style.bad(text) : text;
  });
  const added = unexpected.map(({ citation, rank }) => `  + ${oneLine(citation)}, ${String(rank)}`);
  return [[style.bold(oneLine(query)), ...lines, ...added].map((line) => `${line}\n`).join('')];
}
