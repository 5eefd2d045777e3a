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
  const lines = problems.map(({ path, detail, skipped }) => {
    const label = skipped ? style.warning('skipped') : style.dim('note');
    return `${label} ${oneLine(path)}: ${oneLine(detail)}`;
  });
  return limitLines(lines, view).map((line) => `  ${line}`);
}
