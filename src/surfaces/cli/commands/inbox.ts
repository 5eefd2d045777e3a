import { LociError } from '../../../core/errors.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import type {
  InboxChange,
  InboxGroup,
  InboxOutput,
  KeepOutput,
  UndoOutput,
} from '../../../engine/inbox/inbox-fields.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { countsText } from '../format/phrases.ts';
import { clip } from '../format/text-width.ts';
import { ageText, localTimeText, timeLeftText } from '../format/times.ts';
import { indent } from '../format/wrap.ts';
import { diffLines, MARGIN } from './audit.ts';
import type { OperationCommand, View } from './operation-command.ts';

const CHOSEN = {
  operands: [{ field: 'changes', label: 'change', takes: 'list' }],
  viewOptions: [
    {
      name: 'yes',
      description: 'do not ask before all changes of a group, or all of them, are kept or undone',
    },
  ],
} as const;
const VERBOSE = { name: 'verbose', description: 'changes in full, as far as the inbox has them' };

export const inboxList: OperationCommand<InboxOutput> = {
  shortOptions: { limit: 'n' },
  viewOptions: [VERBOSE],
  render: (output, view) => {
    const { total, groups, next } = output;
    const { style } = view;
    if (total === 0) return 'The inbox is empty: you have seen all that agents have changed.\n';
    if (groups.length === 0) return 'The inbox has no such group.\n';
    const blocks = groups.map((group) => groupLines(group, view).join('\n'));
    const more = next === null ? '' : `; \`--after ${next}\` shows the next page`;
    const advice = '`loci inbox keep --group ID` keeps a session, `loci inbox undo --group ID` undoes it.';
    return `${[...blocks, style.dim(`In the inbox: ${formatCount(total, 'change')}${more}`), style.dim(advice)].join('\n\n')}\n`;
  },
};

function groupLines(group: InboxGroup, view: View): string[] {
  const { id, agent, surface, session, to, changes, next_change: nextChange, total } = group;
  const { style, columns } = view;
  const now = Date.now();
  const name = `${style.bold(oneLine(agent))} via ${oneLine(surface)}`;
  const head = [name, groupCounts(group), ageText(to, now), style.dim(`group ${id}`)].filter(
    (part) => part !== '',
  );
  const sessionLine = session === null ? [] : [style.dim(clip(`session ${oneLine(session)}`, columns))];
  const more =
    nextChange === null
      ? []
      : [
          style.dim(
            `… of ${String(total)}; \`--group ${id} --after-change ${String(nextChange)}\` shows more`,
          ),
        ];
  return [
    head.join(' · '),
    ...sessionLine,
    ...indent([...changes.flatMap((change) => changeLines(change, view)), ...more], '  '),
  ];
}

function groupCounts({ written, changed, deleted, facts }: InboxGroup): string {
  const counts = countsText([
    [written, 'written'],
    [changed, 'changed'],
    [deleted, 'deleted'],
    [facts, facts === 1 ? 'fact' : 'facts'],
  ]);
  return counts.join(', ');
}

function changeLines(change: InboxChange, view: View): string[] {
  const { id, at, action, subject, record, state, title, excerpt, diff, undo, why, expires_at: end } = change;
  const { style, columns } = view;
  const about = record === null ? oneLine(subject ?? '') : `record/${String(record)}`;
  const isGone = state === 'deleted' ? style.dim('(deleted)') : '';
  const time = style.dim(localTimeText(at));
  const head = [
    style.dim(String(id)),
    time,
    style.bold(oneLine(action)),
    style.link(about),
    oneLine(title),
    isGone,
  ];
  const isNew =
    diff !== null &&
    typeof diff['content'] === 'object' &&
    Object.hasOwn(diff['content'] ?? {}, 'characters');
  // The inbox has the present text, which a later change may have given.
  const isFormer = change.with > 0 || change.changed_by !== null;
  const text = clip(`${isFormer ? 'now: ' : ''}${oneLine(excerpt)}`, columns - MARGIN.length - 2);
  const details = isNew || diff === null ? (excerpt === '' ? [] : [text]) : diffLines(diff, view);
  const left = end === null || state !== 'live' ? [] : [style.dim(timeLeftText(end, Date.now()))];
  const refusal = undo === null ? [style.dim(`cannot be undone: ${oneLine(why ?? '')}`)] : [];
  return [
    clip(head.filter((part) => part !== '').join('  '), 10_000),
    ...indent([...details, ...left, ...refusal], MARGIN),
  ];
}

export const inboxKeep: OperationCommand<KeepOutput> = {
  ...CHOSEN,
  question: (input) => questionOf(input, 'Keep', 'They leave the inbox, and nothing else changes.'),
  render: ({ kept, left }) =>
    `Kept ${formatCount(kept, 'change')}; ${left === 0 ? 'the inbox is empty' : `${String(left)} left in the inbox`}.\n`,
};

export const inboxUndo: OperationCommand<UndoOutput> = {
  ...CHOSEN,
  isLong: true,
  question: (input) =>
    questionOf(input, 'Undo', 'What agents wrote is deleted, what they deleted is restored.'),
  render: ({ undo, undone, records, refused, reasons }, { style }) => {
    const did = records.map(({ id, title, did: what }) => {
      const words = {
        deleted: 'deleted',
        restored: 'restored',
        'changed-back': 'changed back',
        nothing: 'unchanged',
      }[what];
      return `${style.link(`record/${String(id)}`)}  ${words}  ${oneLine(title)}`;
    });
    const kept = reasons.map(
      ({ change, why }) => `${style.warning('kept')} change ${String(change)}: ${oneLine(why)}`,
    );
    const back = undo === null ? [] : [style.dim(`\`loci inbox undo --undo ${undo}\` takes this back.`)];
    const rest = refused === 0 ? '' : `, ${String(refused)} could not be undone`;
    return `${[`Undid ${formatCount(undone, 'change')}${rest}.`, ...indent([...did, ...kept], '  '), ...back].join('\n')}\n`;
  },
  failure: ({ undone, refused }) =>
    undone > 0 || refused === 0
      ? null
      : new LociError('conflict', 'nothing could be undone', {
          hint: '`loci inbox` says why; the changes are still there.',
        }),
};

/** Single changes are not asked about. */
function questionOf(input: unknown, verb: string, effect: string): string | null {
  const { changes, undo, group, until } = input as {
    readonly [field in 'changes' | 'undo' | 'until']?: unknown;
  } & { readonly group?: string };
  if (changes !== undefined || undo !== undefined) return null;
  const what =
    group === undefined
      ? until === undefined
        ? 'all changes'
        : 'all changes up to then'
      : `all changes of group ${group}`;
  return `${verb} ${what}? ${effect}`;
}
