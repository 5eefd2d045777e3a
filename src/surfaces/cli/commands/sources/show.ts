import { formatCount } from '../../../../core/text/format-count.ts';
import type { SourcesShowOutput } from '../../../../operations/sources/show.ts';
import type { SourceOutput } from '../../../../operations/sources/source-output.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import { shellWord } from '../../../shared/shell-word.ts';
import { durationText, localTime } from '../../format/times.ts';
import type { OperationCommand } from '../operation-command.ts';

export const sourcesShow: OperationCommand<SourcesShowOutput> = {
  operands: [{ field: 'id', label: 'id', takes: 'one' }],
  render: ({ source, runs }, { style }) => {
    const rows = [...stateRows(source), ...(runs === null ? [] : runRows(source, runs))];
    const lines = rows.map(([name, value]) => `${style.dim(name.padEnd(13))}${escapeControl(value)}`);
    return `${[style.bold(oneLine(source.name)), ...lines].join('\n')}\n`;
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
    ['last read', `${source.last_refresh === null ? 'never' : localTime(source.last_refresh)}${took}`],
    ['next', nextRefreshText(source)],
    [
      'runs',
      `${formatCount(refreshes, 'success', 'successes')}, ${formatCount(total_failures, 'failure')}${consecutive}`,
    ],
    [
      'found',
      source.last_hit === null
        ? 'never'
        : `by ${formatCount(source.hits, 'search', 'searches')}, last ${localTime(source.last_hit)}`,
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
    case 'fresh':
    case 'stale':
    case 'new':
    case 'failing': {
      const interval =
        refresh_interval_ms === null ? '' : `, every ${durationText(refresh_interval_ms / 1000)}`;
      const isAhead = next_refresh !== null && Date.parse(next_refresh) > Date.now();
      return `${isAhead ? localTime(next_refresh) : 'as soon as `loci watch`, `serve` or `mcp` runs'}${interval}`;
    }
  }
}

function runRows(
  { command = '', changes = [] }: SourceOutput,
  runs: NonNullable<SourcesShowOutput['runs']>,
): Row[] {
  const { program, cwd, env, files, not_watched: notWatched, fingerprint, approved } = runs;
  const isApproved = approved?.fingerprint === fingerprint;
  const approval =
    approved === null
      ? 'never'
      : `${localTime(approved.at)} by ${approved.by}${isApproved ? '' : '; it has changed since'}`;
  return [
    ['command', command],
    ['program', program ?? 'not found'],
    ['folder', cwd],
    ['environment', ['PATH, HOME and similar', ...env].join(', ')],
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
