import { LociError } from '../../../../core/errors.ts';
import { formatCount } from '../../../../core/text/format-count.ts';
import type {
  RefreshedSource,
  SourcesApproveOutput,
  SourcesPauseOutput,
  SourcesRefreshOutput,
  SourcesTestOutput,
} from '../../../../engine/reading/source-schemas.ts';
import type { SourcesRemoveOutput } from '../../../../operations/nouns/sources.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import { shellWord } from '../../../../core/text/split-command.ts';
import { ALL_PROBLEMS, limitLines } from '../../format/lists.ts';
import { countsText } from '../../format/phrases.ts';
import { outputText, tables } from '../../format/output-text.ts';
import { durationText } from '../../format/times.ts';
import type { Operand, OperationCommand, View } from '../operation-command.ts';

const ID: Operand = { field: 'id', label: 'id', takes: 'one' };

/** Names of watched files that are printed. */
const MAX_WATCHED = 3;

export const sourcesApprove: OperationCommand<SourcesApproveOutput> = {
  operands: [{ field: 'ids', label: 'id', takes: 'list' }],
  render: ({ approved }, { style }) => {
    const lines = approved.flatMap((source) => {
      const {
        id,
        command,
        cwd,
        changes,
        watched,
        not_watched: notWatched,
        not_watched_risk: isRisk,
      } = source;
      const not = `Not watched: ${oneLine(notWatched)}. List it in \`watch\` to approve its changes.`;
      return [
        `${style.bold(oneLine(id))} may run \`${oneLine(command)}\` in ${oneLine(cwd)}.` +
          (changes.length === 0 ? '' : ' Changed since the last approval:'),
        ...changes.map((change) => `  ${style.warning(oneLine(change))}`),
        `  Watched: ${watchedText(watched)}.`,
        `  ${isRisk ? style.warning(not) : not}`,
      ];
    });
    const [only, second] = approved.map(({ id }) => oneLine(id));
    const next =
      second === undefined
        ? `\`loci sources test ${only ?? ''}\` shows its documents, \`loci sources refresh ${only ?? ''}\` stores them.`
        : '`loci sources test ID` shows the documents of one, `loci sources refresh` stores those of all.';
    return [...lines, style.dim(next), ''].join('\n');
  },
};

function watchedText(files: readonly string[]): string {
  if (files.length === 0) return 'the program alone';
  const more = files.length - MAX_WATCHED;
  const names = files.slice(0, MAX_WATCHED).map(oneLine).join(', ');
  return more > 0
    ? `${names} and ${formatCount(more, 'other file')}; \`loci sources show\` lists them`
    : names;
}

/** Also for `sources resume`, whose output is the same. */
export const sourcesPause: OperationCommand<SourcesPauseOutput> = {
  operands: [ID],
  render: ({ paused, changed, source }) => {
    const id = oneLine(source.id);
    const resume = `\`loci sources resume ${shellWord(id)}\``;
    const done = paused
      ? changed
        ? `Paused ${id} until ${resume}.`
        : `${id} was paused before, and stays so until ${resume}.`
      : changed
        ? `Resumed ${id}.`
        : `${id} is not paused.`;
    return `${[done, ...otherObstacle(source)].join(' ')}\n`;
  },
};

/** Why the source is not refreshed, or fails, even if it is not paused. */
function otherObstacle({ id, condition }: SourcesPauseOutput['source']): string[] {
  switch (condition) {
    case 'disabled':
      return ['It is disabled in the settings, so that it is not refreshed in any case.'];
    case 'waiting for approval':
    case 'changed, waiting for approval':
      return [`It does not run before \`loci sources approve ${shellWord(oneLine(id))}\`.`];
    case 'broken':
      return [`It cannot run: \`loci sources show ${shellWord(oneLine(id))}\` says why.`];
    case 'failing':
      return [`Its last attempt failed: \`loci sources show ${shellWord(oneLine(id))}\` says why.`];
    case 'fresh':
    case 'stale':
    case 'new':
    case 'paused':
    case 'gone':
    case 'set elsewhere':
    case 'imported':
      return [];
  }
}

export const sourcesRemove: OperationCommand<SourcesRemoveOutput> = {
  operands: [{ ...ID, takes: 'words' }],
  viewOptions: [{ name: 'yes', description: 'Do not ask. Without a terminal, nothing is asked.' }],
  question: (input) =>
    `Remove the records of ${(input as { readonly id: string }).id} from the memory? The notes or documents themselves stay.`,
  render: ({ id, path, removed, unconfigured }) => {
    const settings = unconfigured ? '; it is no longer in the settings' : '';
    const notes = path === null ? '' : `The notes in ${oneLine(path)} were not changed.\n`;
    return `Removed ${formatCount(removed, 'record')} of ${oneLine(id)} from the store${settings}.\n${notes}`;
  },
};

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

export const sourcesTest: OperationCommand<SourcesTestOutput> = {
  operands: [{ field: 'id', label: 'id', takes: 'one' }],
  shortOptions: { limit: 'n' },
  viewOptions: [{ name: 'full', description: 'each document with all of its fields, not only a line of it' }],
  render: (output, view) => {
    const { documents, total, printed, problems, stderr, took_ms } = output;
    const more = total - documents.length;
    return [
      view.options.has('full')
        ? documents.map((document) => outputText(document, view)).join('\n')
        : tables({ documents: 'id timestamp completed project tags title text url metadata' })(output, view),
      ...(more === 0 ? [] : [view.style.dim(`… and ${String(more)} more; -n ${String(total)} shows all`)]),
      ...problems.map((problem) => view.style.warning(oneLine(problem))),
      ...(stderr === '' ? [] : [view.style.dim(`standard error: ${oneLine(stderr)}`)]),
      view.style.dim(
        `${formatCount(total, 'document')} of ${String(printed)} printed, in ${durationText(took_ms / 1000)}; nothing was stored.`,
      ),
      '',
    ].join('\n');
  },
};
