import type { Problem } from '../../../operations/shared/problems.ts';
import { oneLine } from '../../shared/escape-control.ts';
import type { View } from '../commands/operation-command.ts';

const SHOWN = 10;

/** A line each, indented; of many the first, unless all are asked for. */
export function problemLines(problems: readonly Problem[], { style, options }: View): string[] {
  const shown = options.has('verbose') ? problems : problems.slice(0, SHOWN);
  const lines = shown.map(({ path, detail, skipped }) => {
    const what = skipped ? style.warning('skipped') : style.dim('note');
    return `  ${what} ${oneLine(path)}: ${oneLine(detail)}`;
  });
  const more = problems.length - shown.length;
  return more > 0 ? [...lines, style.dim(`  … and ${String(more)} more; --verbose lists them all`)] : lines;
}
