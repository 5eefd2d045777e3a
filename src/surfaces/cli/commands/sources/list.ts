import { formatCount } from '../../../../core/text/format-count.ts';
import type {
  SourceOutput,
  SourcesExcludedOutput,
  SourcesListOutput,
  SourcesShowOutput,
} from '../../../../engine/reading/source-schemas.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import { outputText, tables } from '../../format/output-text.ts';
import { clip } from '../../format/text-width.ts';
import type { OperationCommand, View } from '../operation-command.ts';

const NO_SOURCES =
  'There are no vaults and no sources. `loci index PATH` adds a vault; docs/sources.md explains how to add a source.';

export const sourcesList: OperationCommand<SourcesListOutput> = {
  render: (output, view) => {
    const details = output.sources.flatMap((source) => {
      const lines = detailLines(source, view);
      return lines.length === 0
        ? []
        : [view.style.bold(oneLine(source.id)), ...lines.map((line) => `  ${line}`)];
    });
    return [
      tables({ sources: 'id name condition documents last_refresh took_ms total_failures hits' }, NO_SOURCES)(
        output,
        view,
      ),
      ...details.map((line) => `${line}\n`),
    ].join('');
  },
};

/** What the owner is to do about a source. */
function detailLines(source: SourceOutput, { style, columns }: View): string[] {
  const { id, condition, command, fingerprint, error, hint, changes = [], problems } = source;
  const needsApproval = condition.endsWith('waiting for approval');
  return [
    ...(needsApproval && command !== undefined
      ? [`${oneLine(command)}  ${style.dim(`(${fingerprint ?? ''})`)}`]
      : []),
    ...firstChanges(changes, id).map((change) => style.warning(clip(oneLine(change), columns - 2))),
    ...(needsApproval ? [style.dim(`→ loci sources approve ${oneLine(id)}`)] : []),
    ...(error === null ? [] : [style.warning(clip(oneLine(error), columns - 2))]),
    ...(hint === undefined ? [] : [style.dim(`→ ${oneLine(hint)}`)]),
    ...(condition === 'gone' ? [style.dim(`→ loci sources remove ${oneLine(id)}`)] : []),
    ...(problems.length === 0
      ? []
      : [style.dim(`${formatCount(problems.length, 'problem')}: loci sources show ${oneLine(id)}`)]),
  ];
}

const MAX_CHANGES = 5;

function firstChanges(changes: readonly string[], id: string): string[] {
  if (changes.length <= MAX_CHANGES) return [...changes];
  return [...changes.slice(0, MAX_CHANGES), `… loci sources show ${id} lists all`];
}

export const sourcesShow: OperationCommand<SourcesShowOutput> = {
  operands: [{ field: 'id', label: 'id', takes: 'one' }],
  render: ({ source, runs }, view) => {
    const { recent_runs: _, ...state } = source;
    return outputText({ ...state, ...(runs !== null && { ...runs, files: runs.files.map(fileText) }) }, view);
  },
};

function fileText({ path, state }: NonNullable<SourcesShowOutput['runs']>['files'][number]): string {
  return `${path}  ${state.slice(0, 16)}`;
}

export const sourcesExcluded: OperationCommand<SourcesExcludedOutput> = {
  operands: [{ field: 'id', label: 'id', takes: 'one' }],
  render: (output, view) =>
    tables(
      { excluded: 'path rule from', other_files: 'ending files' },
      'No rule leaves anything out.',
      output.total > 0 ? 'total' : '',
    )(output, view),
};
