import { formatCount } from '../../../../core/text/format-count.ts';
import { formatAge } from '../../../../core/time/age.ts';
import type {
  SourceOutput,
  SourcesExcludedOutput,
  SourcesListOutput,
  SourcesShowOutput,
} from '../../../../engine/reading/source-schemas.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import { shellWord } from '../../../../core/text/split-command.ts';
import type { Style } from '../../format/style.ts';
import { clip } from '../../format/text-width.ts';
import { ageText, durationText, localTimeText } from '../../format/times.ts';
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
  render: ({ source, runs }, { style }) => {
    const rows = [...stateRows(source), ...(runs === null ? [] : runRows(source, runs))];
    const lines = rows.map(([name, value]) => `${style.dim(name.padEnd(13))}${escapeControl(value)}`);
    return `${[style.bold(oneLine(source.name)), ...lines].join('\n')}\n`;
  },
};

export const sourcesExcluded: OperationCommand<SourcesExcludedOutput> = {
  operands: [{ field: 'id', label: 'id', takes: 'one' }],
  render: ({ excluded, total, next, other_files: others }, { style }) => {
    const rules = Map.groupBy(excluded, ({ rule, from }) => (from === null ? rule : `${rule} (${from})`));
    const lines = [...rules].flatMap(([rule, files]) => [
      style.bold(oneLine(rule)),
      ...files.map(({ path }) => `  ${oneLine(path)}`),
    ]);
    const formats = others.map(
      ({ ending, files }) => `${String(files)} ${ending === '' ? 'without ending' : ending}`,
    );
    return [
      ...(total === 0 ? ['No rule leaves anything out.'] : lines),
      ...(next === null ? [] : [style.dim(`… of ${String(total)}; --after ${String(next)} shows more`)]),
      ...(others.length === 0 ? [] : [style.dim(`Not notes: ${oneLine(formats.join(', '))}`)]),
      '',
    ].join('\n');
  },
};

type Row = readonly [name: string, value: string];

function stateRows(source: SourceOutput): Row[] {
  const { refreshes, consecutive_failures, total_failures, took_ms, problems } = source;
  const took = took_ms === null ? '' : `, took ${durationText(took_ms / 1000)}`;
  const consecutive = consecutive_failures === 0 ? '' : `, the last ${String(consecutive_failures)} in a row`;
  return [
    ['id', source.id],
    ['kind', source.kind],
    ['condition', source.condition],
    ['documents', String(source.documents)],
    ['last read', `${source.last_refresh === null ? 'never' : localTimeText(source.last_refresh)}${took}`],
    ['next', nextRefreshText(source)],
    [
      'runs',
      `${formatCount(refreshes, 'success', 'successes')}, ${formatCount(total_failures, 'failure')}${consecutive}`,
    ],
    [
      'found',
      source.last_hit === null
        ? 'never'
        : `by ${formatCount(source.hits, 'search', 'searches')}, last ${localTimeText(source.last_hit)}`,
    ],
    ...(source.error === null ? [] : [['error', source.error] as const]),
    ...(source.hint === undefined ? [] : [['what to do', source.hint] as const]),
    ...rowsOf('problems', problems),
    ...(source.folder === undefined ? [] : [['folder', source.folder] as const]),
  ];
}

/** A row for each value, with the name at the first one. */
function rowsOf(name: string, values: readonly string[]): Row[] {
  return values.map((value, i): Row => [i === 0 ? name : '', value]);
}

function nextRefreshText({ id, condition, next_refresh, refresh_interval_ms }: SourceOutput): string {
  switch (condition) {
    case 'paused':
      return `after \`loci sources resume ${shellWord(id)}\``;
    case 'disabled':
      return 'never while its settings say `enabled: false`';
    case 'waiting for approval':
    case 'changed, waiting for approval':
      return `after \`loci sources approve ${shellWord(id)}\``;
    case 'broken':
      return 'after the error is fixed';
    case 'gone':
      return 'never: it is not in the settings';
    case 'set elsewhere':
      return 'by the program that has it in its settings';
    case 'fresh':
    case 'stale':
    case 'new':
    case 'failing': {
      const interval =
        refresh_interval_ms === null ? '' : `, every ${durationText(refresh_interval_ms / 1000)}`;
      const isAhead = next_refresh !== null && Date.parse(next_refresh) > Date.now();
      return `${isAhead ? localTimeText(next_refresh) : 'as soon as `loci sources watch`, `serve` or `mcp` runs'}${interval}`;
    }
  }
}

function runRows(
  { command = '', changes = [] }: SourceOutput,
  runs: NonNullable<SourcesShowOutput['runs']>,
): Row[] {
  const { program, cwd, env, files, not_watched: notWatched, fingerprint, approved, timeout_ms } = runs;
  const isApproved = approved?.fingerprint === fingerprint;
  const approval =
    approved === null
      ? 'never'
      : `${localTimeText(approved.at)} by ${approved.by}${isApproved ? '' : '; it has changed since'}`;
  return [
    ['command', command],
    ['program', program ?? 'not found'],
    ['folder', cwd],
    ['environment', ['PATH, HOME and similar', ...env].join(', ')],
    ['time limit', durationText(timeout_ms / 1000)],
    ...rowsOf(
      'watched',
      files.map(({ path, state }) => `${path}  ${state.slice(0, 16)}`),
    ),
    ['not watched', notWatched],
    ['fingerprint', fingerprint.slice(0, 16)],
    ['approved', approval],
    ...rowsOf('since then', changes),
  ];
}
