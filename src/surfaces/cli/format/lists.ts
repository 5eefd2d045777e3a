import { formatCount } from '../../../core/text/format-count.ts';
import type { Problem } from '../../../operations/shared/problems.ts';
import { oneLine } from '../../shared/escape-control.ts';
import type { ViewOption, View } from '../commands/operation-command.ts';

const MAX_LINES = 10;

/** For commands that shorten a list of problems. */
export const ALL_PROBLEMS: ViewOption = {
  name: 'verbose',
  description: 'list every problem, not the first ten',
};

/** The first ten lines and how many more there are, or all of them with `--verbose`. */
export function limitLines(lines: readonly string[], { style, options }: View): string[] {
  const more = lines.length - MAX_LINES;
  if (options.has('verbose') || more <= 0) return [...lines];
  return [...lines.slice(0, MAX_LINES), style.dim(`… and ${String(more)} more; --verbose shows all`)];
}

/** An indented line for each problem that was found in a folder. */
export function problemLines(problems: readonly Problem[], view: View): string[] {
  const { style } = view;
  const dates = problems.filter(({ reason }) => reason === 'unclear_date');
  const isShort = !view.options.has('verbose') && dates.length > 1;
  const listed = isShort ? problems.filter((problem) => problem === dates[0] || !dates.includes(problem)) : problems;
  const lines = listed.map((problem) => {
    const { path, detail, skipped } = problem;
    const label = skipped ? style.warning('skipped') : style.dim('note');
    const others = isShort && problem === dates[0] ? `; so ${formatCount(dates.length - 1, 'other note')}` : '';
    return `${label} ${oneLine(path)}: ${oneLine(detail)}${others}`;
  });
  return limitLines(lines, view).map((line) => `  ${line}`);
}
