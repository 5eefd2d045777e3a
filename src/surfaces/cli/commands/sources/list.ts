import { formatAge } from '../../../../core/time/age.ts';
import { formatCount } from '../../../../core/text/format-count.ts';
import type { SourcesListOutput } from '../../../../operations/sources/list.ts';
import type { SourceOutput } from '../../../../operations/sources/source-output.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import type { Style } from '../../format/style.ts';
import { clip } from '../../format/text-width.ts';
import { ageText } from '../../format/times.ts';
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
    ...nextRefresh(source),
    ...(hits === 0 ? [] : [`found by ${formatCount(hits, 'search', 'searches')}`]),
  ];
  const first = `${style.bold(oneLine(id))}${displayName}  ${conditionStyle(condition, style)(condition)}  ${style.dim(facts.join(' · '))}`;
  const needsApproval = condition.endsWith('waiting for approval');
  const details = [
    ...(needsApproval && command !== undefined
      ? [`${oneLine(command)}  ${style.dim(`(${fingerprint ?? ''})`)}`]
      : []),
    ...firstChanges(changes, id).map((change) => style.warning(clip(oneLine(change), columns - 2))),
    ...(needsApproval ? [style.dim(`→ loci sources approve ${oneLine(id)}`)] : []),
    ...(error === null ? [] : [style.warning(clip(oneLine(error), columns - 2))]),
    ...(hint === undefined ? [] : [style.dim(`→ ${oneLine(hint)}`)]),
    ...(condition === 'gone' ? [style.dim(`→ ${removeCommand(source)}`)] : []),
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

function removeCommand({ id, kind }: SourceOutput): string {
  return kind === 'vault' ? `loci forget-vault ${oneLine(id)}` : `loci sources remove ${oneLine(id)}`;
}

function nextRefresh({ condition, next_refresh }: SourceOutput): string[] {
  if (next_refresh === null || !['fresh', 'failing'].includes(condition)) return [];
  const due = Date.parse(next_refresh);
  if (due <= Date.now()) return [];
  return [`${condition === 'failing' ? 'next attempt' : 'next'} ${formatAge(due, Date.now())}`];
}

function conditionStyle(condition: SourceOutput['condition'], style: Style): (text: string) => string {
  switch (condition) {
    case 'fresh':
      return style.good;
    case 'failing':
    case 'broken':
      return style.bad;
    case 'disabled':
    case 'paused':
    case 'new':
      return style.dim;
    case 'stale':
    case 'gone':
    case 'waiting for approval':
    case 'changed, waiting for approval':
      return style.warning;
  }
}
