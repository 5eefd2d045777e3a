import { ageOf } from '../../../../core/time/age.ts';
import { counted } from '../../../../core/text/counted.ts';
import type { SourceOutput } from '../../../../operations/sources/source-output.ts';
import type { SourcesApproveOutput } from '../../../../operations/sources/approve.ts';
import type { SourcesListOutput } from '../../../../operations/sources/list.ts';
import type { SourcesPauseOutput } from '../../../../operations/sources/pause.ts';
import type { SourcesRemoveOutput } from '../../../../operations/sources/remove.ts';
import type { SourcesShowOutput } from '../../../../operations/sources/show.ts';
import { shellWord } from '../../fields.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import { duration } from '../../format/progress-display.ts';
import type { Style } from '../../format/style.ts';
import { ageInWords, localTime } from '../../format/times.ts';
import { clip } from '../../format/text-width.ts';
import type { Renderer, View } from '../operation-command.ts';

const NONE =
  'No vaults and no sources yet: `loci index PATH` adds a vault; docs/sources.md says how a command becomes a source.\n';

export const sourcesListRenderer: Renderer<SourcesListOutput> = {
  render: ({ sources }, view) =>
    sources.length === 0 ? NONE : `${sources.flatMap((source) => sourceLines(source, view)).join('\n')}\n`,
};

function sourceLines(source: SourceOutput, { style, columns }: View): string[] {
  const { id, name, kind, documents, condition, command, fingerprint, error, hits } = source;
  const called = name === id ? '' : ` ${style.dim(`(${oneLine(name)})`)}`;
  const facts = [
    counted(documents, kind === 'vault' ? 'note' : 'document'),
    ...(source.last_refresh === null ? [] : [`read ${ageInWords(source.last_refresh, Date.now())}`]),
    ...nextOf(source),
    ...(hits === 0 ? [] : [`found by ${counted(hits, 'search', 'searches')}`]),
  ];
  const first = `${style.bold(oneLine(id))}${called}  ${paintOf(condition, style)(condition)}  ${style.dim(facts.join(' · '))}`;
  const waits = condition.endsWith('waiting for approval');
  const { changes = [] } = source;
  const more = [
    ...(waits && command !== undefined
      ? [`${oneLine(command)}  ${style.dim(`(${fingerprint ?? ''})`)}`]
      : []),
    ...changesShown(changes, id).map((change) => style.warning(clip(oneLine(change), columns - 2))),
    ...(waits ? [style.dim(`→ loci sources approve ${oneLine(id)}`)] : []),
    ...(error === null ? [] : [style.warning(clip(oneLine(error), columns - 2))]),
    ...(source.hint === undefined ? [] : [style.dim(`→ ${oneLine(source.hint)}`)]),
    ...(condition === 'gone' ? [style.dim(`→ ${wayOut(source)}`)] : []),
    ...(source.problems.length === 0
      ? []
      : [style.dim(`${counted(source.problems.length, 'problem')}: loci sources show ${oneLine(id)}`)]),
  ];
  return [first, ...more.map((line) => `  ${line}`)];
}

/** In a list, the first of them. */
const CHANGES_SHOWN = 5;

function changesShown(changes: readonly string[], id: string): string[] {
  if (changes.length <= CHANGES_SHOWN) return [...changes];
  return [...changes.slice(0, CHANGES_SHOWN), `… loci sources show ${id} tells them all`];
}

function wayOut({ id, kind }: SourceOutput): string {
  return kind === 'vault' ? `loci forget-vault ${oneLine(id)}` : `loci sources remove ${oneLine(id)}`;
}

function nextOf({ condition, next_refresh }: SourceOutput): string[] {
  if (next_refresh === null || !['fresh', 'failing'].includes(condition)) return [];
  const due = Date.parse(next_refresh);
  if (due <= Date.now()) return [];
  const again = condition === 'failing' ? 'tried again' : 'next';
  return [`${again} ${ageOf(due, Date.now())}`];
}

function paintOf(condition: SourceOutput['condition'], style: Style): (text: string) => string {
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

export const sourcesShowRenderer: Renderer<SourcesShowOutput> = {
  render: ({ source, runs }, view) => {
    const rows = [...stateRows(source), ...(runs === null ? [] : runRows(source, runs))];
    const lines = rows.map(([name, value]) => `${view.style.dim(name.padEnd(13))}${escapeControl(value)}`);
    return `${[view.style.bold(oneLine(source.name)), ...lines].join('\n')}\n`;
  },
};

type Row = readonly [name: string, value: string];

function stateRows(source: SourceOutput): Row[] {
  const { refreshes, failed, failures, took_ms, problems } = source;
  const took = took_ms === null ? '' : `, took ${duration(took_ms / 1000)}`;
  const inARow = failures === 0 ? '' : `, the last ${String(failures)} in a row`;
  return [
    ['id', source.id],
    ['kind', source.kind],
    ['condition', source.condition],
    ['documents', String(source.documents)],
    ['last read', `${source.last_refresh === null ? 'never' : localTime(source.last_refresh)}${took}`],
    ['next', nextInWords(source)],
    ['runs', `${counted(refreshes, 'success', 'successes')}, ${counted(failed, 'failure')}${inARow}`],
    [
      'found',
      source.last_hit === null
        ? 'never'
        : `by ${counted(source.hits, 'search', 'searches')}, last ${localTime(source.last_hit)}`,
    ],
    ...(source.error === null ? [] : [['error', source.error] as const]),
    ...(source.hint === undefined ? [] : [['what to do', source.hint] as const]),
    ...problems.map((problem, i): Row => [i === 0 ? 'problems' : '', problem]),
    ...(source.folder === undefined ? [] : [['folder', source.folder] as const]),
  ];
}

function nextInWords({ id, condition, next_refresh, refresh_interval_ms }: SourceOutput): string {
  switch (condition) {
    case 'paused':
      return `not before \`loci sources resume ${shellWord(id)}\``;
    case 'disabled':
      return 'not before `enabled: false` is out of its settings';
    case 'waiting for approval':
    case 'changed, waiting for approval':
      return `not before \`loci sources approve ${shellWord(id)}\``;
    case 'broken':
      return 'not as it stands';
    case 'gone':
      return 'never: nothing in the settings brings it';
    case 'fresh':
    case 'stale':
    case 'new':
    case 'failing': {
      const interval = refresh_interval_ms === null ? '' : `, every ${duration(refresh_interval_ms / 1000)}`;
      const isAhead = next_refresh !== null && Date.parse(next_refresh) > Date.now();
      return `${isAhead ? localTime(next_refresh) : 'as soon as somebody keeps it fresh'}${interval}`;
    }
  }
}

function runRows(
  { command = '', changes = [] }: SourceOutput,
  runs: NonNullable<SourcesShowOutput['runs']>,
): Row[] {
  const { program, cwd, env, shell, files, fingerprint, approved } = runs;
  const isApproved = approved?.fingerprint === fingerprint;
  const approval =
    approved === null
      ? 'never'
      : `${localTime(approved.at)} by ${approved.by}${isApproved ? '' : '; it has changed since'}`;
  return [
    ['command', command],
    ['program', program ?? 'there is none of that name'],
    ['in', cwd],
    ['sees', env.length === 0 ? 'PATH, HOME and the like' : `PATH, HOME and the like, ${env.join(', ')}`],
    ...files.map(({ path, state }, i): Row => [i === 0 ? 'watched' : '', `${path}  ${state.slice(0, 16)}`]),
    ...(shell ? [['', 'files that the line for the shell starts are not watched'] as const] : []),
    ['fingerprint', fingerprint.slice(0, 16)],
    ['approved', approval],
    ...changes.map((change, i): Row => [i === 0 ? 'since then' : '', change]),
  ];
}

const SHELL_WARNING =
  'It is a line for a shell: files that the line starts are not watched. List them in `watch` to approve their changes.';

export const sourcesApproveRenderer: Renderer<SourcesApproveOutput> = {
  render: ({ approved }, { style }) => {
    const lines = approved.flatMap(({ id, command, cwd, changes, shell }) => [
      `${style.bold(oneLine(id))} may run \`${oneLine(command)}\` in ${oneLine(cwd)}.` +
        (changes.length === 0 ? '' : ' Different from what was approved before:'),
      ...changes.map((change) => `  ${style.warning(oneLine(change))}`),
      ...(shell ? [`  ${style.warning(SHELL_WARNING)}`] : []),
    ]);
    const [first, ...others] = approved.map(({ id }) => oneLine(id));
    const next =
      others.length === 0
        ? `\`loci sources test ${first ?? ''}\` shows what it gives, \`loci sources refresh ${first ?? ''}\` takes it in.`
        : '`loci sources test ID` shows what one gives, `loci sources refresh` takes them in.';
    return [...lines, style.dim(next), ''].join('\n');
  },
};

export const sourcesPauseRenderer: Renderer<SourcesPauseOutput> = {
  render: ({ source: { id, condition } }) =>
    condition === 'paused'
      ? `${oneLine(id)} is left alone until \`loci sources resume ${oneLine(id)}\`.\n`
      : `${oneLine(id)} is refreshed again by whoever keeps sources fresh.\n`,
};

export const sourcesRemoveRenderer: Renderer<SourcesRemoveOutput> = {
  render: ({ id, removed, unconfigured }) => {
    const settings = unconfigured ? ', and it is out of the settings' : '';
    return `${oneLine(id)}: ${counted(removed, 'document')} left the store${settings}.\n`;
  },
};
