import { formatCount } from '../../../../core/text/format-count.ts';
import { LociError } from '../../../../core/errors.ts';
import type { RefreshedSource, SourcesRefreshOutput } from '../../../../operations/sources/refresh.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import { ALL_PROBLEMS, limitLines } from '../../format/lists.ts';
import { countsText } from '../../format/phrases.ts';
import { durationText } from '../../format/times.ts';
import type { OperationCommand, View } from '../operation-command.ts';

export const sourcesRefresh: OperationCommand<SourcesRefreshOutput> = {
  operands: [{ field: 'ids', label: 'id', takes: 'list' }],
  viewOptions: [ALL_PROBLEMS],
  failure: ({ sources }) => {
    const errors = sources.flatMap(({ id, error }) => (error === undefined ? [] : [{ ...error, id }]));
    const [first] = errors;
    if (first === undefined) return null;
    const message = errors.map((error) => withId(error.id, error.message)).join('\n');
    return new LociError(first.code, message, {
      hint: [...new Set(errors.map(({ hint }) => hint))].join('\n'),
    });
  },
  render: ({ sources, took_ms }, view) => {
    if (sources.length === 0)
      return 'No sources to refresh: docs/sources.md says how a command becomes one. `loci index` reads vaults.\n';
    const refreshed = sources.filter(({ error }) => error === undefined);
    if (refreshed.length === 0) return '';
    const lines = refreshed.flatMap((source) => [
      refreshedLine(source, view),
      ...limitLines(
        source.problems.map((problem) => view.style.warning(oneLine(problem))),
        view,
      ).map((line) => `  ${line}`),
    ]);
    return [...lines, view.style.dim(`Done in ${durationText(took_ms / 1000)}.`), ''].join('\n');
  },
};

/** Adds the id of the source unless the message contains it. */
function withId(id: string, message: string): string {
  return message.includes(id) ? message : `${id}: ${message}`;
}

function refreshedLine(source: RefreshedSource, { style }: View): string {
  const counts = countsText([
    [source.added, 'added'],
    [source.updated, 'updated'],
    [source.removed, 'removed'],
    [source.unchanged, 'unchanged'],
    [source.over_cap, 'left out: more than maxDocuments'],
  ]);
  if (source.kept > 0)
    counts.push(
      `no output; ${formatCount(source.kept, 'document')} will be removed if the next run prints nothing either`,
    );
  return `${style.bold(oneLine(source.name))}: ${counts.length === 0 ? 'no documents' : counts.join(', ')}`;
}
