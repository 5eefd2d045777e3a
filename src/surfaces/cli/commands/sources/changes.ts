import { formatCount } from '../../../../core/text/format-count.ts';
import type { SourcesApproveOutput } from '../../../../operations/sources/approve.ts';
import type { SourcesPauseOutput } from '../../../../operations/sources/pause.ts';
import type { SourcesRemoveOutput } from '../../../../operations/sources/remove.ts';
import { shellWord } from '../../../shared/shell-word.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import type { Operand, OperationCommand } from '../operation-command.ts';

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
      return [];
  }
}

export const sourcesRemove: OperationCommand<SourcesRemoveOutput> = {
  operands: [ID],
  render: ({ id, removed, unconfigured }) => {
    const settings = unconfigured ? '; it is no longer in the settings' : '';
    return `Removed ${formatCount(removed, 'document')} of ${oneLine(id)} from the store${settings}.\n`;
  },
};
