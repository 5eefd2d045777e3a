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

/** Conflict copies that are named beside the first. */
const MAX_NAMED = 2;

/** Problems that many notes may share, of which only the first is shown. */
const FOLDED: ReadonlySet<Problem['reason']> = new Set([
  'ambiguous_date',
  'unreadable_date',
  'conflict_copy',
]);

/**
 * An indented line for each problem that was found in a folder.
 * @param vault its name, for the command that lists the notes with a folded problem: the next `index` does not read them again
 */
export function problemLines(problems: readonly Problem[], view: View, vault?: string): string[] {
  const { style } = view;
  const others = new Map<Problem, readonly Problem[]>();
  if (!view.options.has('verbose'))
    for (const reason of FOLDED) {
      const [first, ...rest] = problems.filter((problem) => problem.reason === reason);
      if (first !== undefined) others.set(first, rest);
    }
  const isListed = (problem: Problem): boolean =>
    view.options.has('verbose') || !FOLDED.has(problem.reason) || others.has(problem);
  const lines = problems.filter(isListed).map((problem) => {
    const { path, reason, detail, skipped } = problem;
    const label = skipped ? style.warning('skipped') : style.dim('note');
    const rest = others.get(problem) ?? [];
    const lists = vault === undefined ? '' : `; \`loci sources show ${shellWord(vault)}\` lists up to 20`;
    const names =
      reason === 'conflict_copy' ? rest.slice(0, MAX_NAMED).map((each) => oneLine(each.path)) : [];
    const which = names.length > 0 ? `: ${names.join(', ')}` : '';
    const more = rest.length === 0 ? '' : ` (and ${formatCount(rest.length, 'other note')}${which}${lists})`;
    return `${label} ${oneLine(path)}: ${oneLine(detail)}${more}`;
  });
  return limitLines(lines, view).map((line) => `  ${line}`);
}
