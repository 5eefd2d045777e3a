import { formatCount } from '../../../core/text/format-count.ts';
import type { DoctorOutput } from '../../../engine/health/check.ts';
import { escapeControl } from '../../shared/escape-control.ts';
import { limitLines } from '../format/lists.ts';
import type { OperationCommand, View } from './operation-command.ts';

type Check = DoctorOutput['checks'][number];

export const doctor: OperationCommand<DoctorOutput> = {
  isLong: true,
  viewOptions: [{ name: 'verbose', description: 'list everything that a check found, not the first ten' }],
  rendersConfigWarnings: true,
  exitCode: ({ healthy }) => (healthy ? 0 : 1),
  render: ({ checks, healthy }, view) => {
    const width = Math.max(...checks.map(({ name }) => name.length));
    const warnings = checks.filter(({ result }) => result === 'warning').length;
    const warningCount = warnings === 0 ? '' : ` (${formatCount(warnings, 'warning')})`;
    const verdict = healthy
      ? view.style.good(`No problems found${warningCount}.`)
      : view.style.bad('Problems found.');
    return `${[...checks.flatMap((check) => checkLines(check, width, view)), verdict].join('\n')}\n`;
  },
};

function checkLines({ name, result, detail, hint }: Check, width: number, view: View): string[] {
  const { style } = view;
  const resultStyle = { ok: style.good, warning: style.warning, failed: style.bad }[result];
  const margin = ' '.repeat('warning'.length + width + 4);
  const [first = '', ...rest] = escapeControl(detail).split('\n');
  return [
    `${resultStyle(result.padEnd('warning'.length))}  ${escapeControl(name).padEnd(width)}  ${first}`,
    ...limitLines(rest, view).map((line) => margin + line),
    ...(hint === null ? [] : [`${margin}${style.dim(`→ ${escapeControl(hint)}`)}`]),
  ];
}
