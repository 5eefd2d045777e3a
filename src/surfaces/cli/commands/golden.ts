import { formatCount } from '../../../core/text/format-count.ts';
import type { GoldenOutput } from '../../../engine/golden/golden.ts';
import { oneLine } from '../../shared/escape-control.ts';
import type { OperationCommand } from './operation-command.ts';

export const golden: OperationCommand<GoldenOutput> = {
  isLong: true,
  operands: [{ field: 'file', label: 'file', takes: 'one' }],
  shortOptions: { limit: 'n' },
  exitCode: ({ missing, failed }) => (missing + failed.length === 0 ? 0 : 1),
  warnings: ({ failed, notices }) => [
    ...failed.map(({ query, why }) => `${JSON.stringify(oneLine(query))} was left out: ${oneLine(why)}`),
    ...notices.map(oneLine),
  ],
  render: ({ queries, limit, missing, recall, mrr }, { style }) => {
    const recorded = queries.filter((each) => each.recorded);
    const lines = queries.flatMap(({ query, expected, added }) => {
      const moved = expected.filter(({ place, now }) => place !== now);
      if (moved.length + added.length === 0) return [];
      return [
        style.bold(oneLine(query)),
        ...moved.map(({ citation, place, now }) =>
          now === null
            ? style.bad(`  - ${oneLine(citation)}, ${String(place)} → missing`)
            : `  ~ ${oneLine(citation)}, ${String(place)} → ${String(now)}`,
        ),
        ...added.map(({ citation, now }) => style.good(`  + ${oneLine(citation)}, ${String(now)}`)),
      ];
    });
    const end =
      `${formatCount(queries.length, 'query', 'queries')}, ${String(recorded.length)} recorded now, ` +
      `${formatCount(missing, 'expected result')} missing; recall@${String(limit)} ${recall.toFixed(3)}, MRR ${mrr.toFixed(3)}`;
    return [...lines, end].map((line) => `${line}\n`).join('');
  },
};
