import { formatCount } from '../../../core/text/format-count.ts';
import type { Problem } from '../../../engine/fields/record-fields.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { shellWord } from '../../../core/text/split-command.ts';
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

/** Problems that many notes may share, of which only the first is shown. */
const FOLDED: ReadonlySet<Problem['reason']> = new Set(['ambiguous_date', 'unreadable_date']);

/**
 * An indented line for each problem that was found in a folder.
 * @param vault its name, for the command that lists the notes with a folded problem: the next `index` does not read them again
 */
export function problemLines(problems: readonly Problem[], view: View, vault?: string): string[] {
  const { style } = view;
  const others = new Map<Problem, number>();
  if (!view.options.has('verbose'))
    for (const reason of FOLDED) {
      const [first, ...rest] = problems.filter((problem) => problem.reason === reason);
      if (first !== undefined) others.set(first, rest.length);
    }
  const isListed = (problem: Problem): boolean =>
    view.options.has('verbose') || !FOLDED.has(problem.reason) || others.has(problem);
  const lines = problems.filter(isListed).map((problem) => {
    const { path, detail, skipped } = problem;
    const label = skipped ? style.warning('skipped') : style.dim('note');
    const count = others.get(problem) ?? 0;
    const lists = vault === undefined ? '' : `; \`loci sources show ${shellWord(vault)}\` lists up to 20`;
    const more = count === 0 ? '' : ` (and ${formatCount(count, 'other note')}${lists})`;
    return `${label} ${oneLine(path)}: ${oneLine(detail)}${more}`;
  });
  return limitLines(lines, view).map((line) => `  ${line}`);
}
