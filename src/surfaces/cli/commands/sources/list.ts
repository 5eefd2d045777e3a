import { formatCount } from '../../../../core/text/format-count.ts';
import { formatAge } from '../../../../core/time/age.ts';
import type {
  SourceOutput,
  SourcesExcludedOutput,
  SourcesListOutput,
  SourcesShowOutput,
} from '../../../../engine/reading/source-schemas.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import { outputText, tables } from '../../format/output-text.ts';
import type { Style } from '../../format/style.ts';
import { clip } from '../../format/text-width.ts';
import { ageText, durationText } from '../../format/times.ts';
import type { OperationCommand, View } from '../operation-command.ts';

const NO_SOURCES =
  'There are no vaults and no sources. `loci index PATH` adds a vault; docs/sources.md explains how to add a source.\n';

export const sourcesList: OperationCommand<SourcesListOutput> = {
  render: ({ sources }, view) =>
    sources.length === 0
      ? NO_SOURCES
      : `${sources.flatMap((source) => sourceLines(source, view)).join('\n')}\n`,
};

function sourceLines(source: SourceOutput, { style, columns }: View): string[] {
  const {
    id,
    name,
    kind,
    documents,
    condition,
    command,
    fingerprint,
    error,
    hint,
    hits,
    changes = [],
  } = source;
  const displayName = name === id ? '' : ` ${style.dim(`(${oneLine(name)})`)}`;
  const facts = [
    formatCount(documents, kind === 'vault' ? 'note' : 'document'),
    ...(source.last_refresh === null ? [] : [`read ${ageText(source.last_refresh, Date.now())}`]),
    ...(source.took_ms === null ? [] : [`in ${durationText(source.took_ms / 1000)}`]),
    ...(source.total_failures === 0 ? [] : [formatCount(source.total_failures, 'failure')]),
    ...nextRefresh(source),
    ...(hits === 0 ? [] : [`found by ${formatCount(hits, 'search', 'searches')}`]),
  ];
  const first = `${style.bold(oneLine(id))}${displayName}  ${style[CONDITION_STYLES[condition]](condition)}  ${style.dim(facts.join(' · '))}`;
  const needsApproval = condition.endsWith('waiting for approval');
  const details = [
    ...(needsApproval && command !== undefined
      ? [`${oneLine(command)}  ${style.dim(`(${fingerprint ?? ''})`)}`]
      : []),
    ...firstChanges(changes, id).map((change) => style.warning(clip(oneLine(change), columns - 2))),
    ...(needsApproval ? [style.dim(`→ loci sources approve ${oneLine(id)}`)] : []),
    ...(error === null ? [] : [style.warning(clip(oneLine(error), columns - 2))]),
    ...(hint === undefined ? [] : [style.dim(`→ ${oneLine(hint)}`)]),
    ...(condition === 'gone' ? [style.dim(`→ loci sources remove ${oneLine(id)}`)] : []),
    ...(source.problems.length === 0
      ? []
      : [style.dim(`${formatCount(source.problems.length, 'problem')}: loci sources show ${oneLine(id)}`)]),
  ];
  return [first, ...details.map((line) => `  ${line}`)];
}

const MAX_CHANGES = 5;

function firstChanges(changes: readonly string[], id: string): string[] {
  if (changes.length <= MAX_CHANGES) return [...changes];
  return [...changes.slice(0, MAX_CHANGES), `… loci sources show ${id} lists all`];
}

function nextRefresh({ condition, next_refresh }: SourceOutput): string[] {
  if (next_refresh === null || !['fresh', 'failing'].includes(condition)) return [];
  const due = Date.parse(next_refresh);
  if (due <= Date.now()) return [];
  return [`${condition === 'failing' ? 'next attempt' : 'next'} ${formatAge(due, Date.now())}`];
}

const CONDITION_STYLES: Readonly<Record<SourceOutput['condition'], keyof Style>> = {
  fresh: 'good',
  failing: 'bad',
  broken: 'bad',
  disabled: 'dim',
  paused: 'dim',
  new: 'dim',
  stale: 'warning',
  gone: 'warning',
  'set elsewhere': 'dim',
  'waiting for approval': 'warning',
  'changed, waiting for approval': 'warning',
};

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
  render: tables(
    { excluded: 'path rule from', other_files: 'ending files' },
    'No rule leaves anything out.',
    'total',
  ),
};
