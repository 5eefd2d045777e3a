import { formatCount } from '../../../core/text/format-count.ts';
import type { ExportOutput } from '../../../operations/nouns/portable.ts';
import type { ImportOutput, ItemTypeName } from '../../../engine/portable/import-report.ts';
import { escapeControlJson, oneLine } from '../../shared/escape-control.ts';
import { ALL_PROBLEMS, limitLines } from '../format/lists.ts';
import { refusalWarnings } from '../format/phrases.ts';
import { durationText } from '../format/times.ts';
import { indent } from '../format/wrap.ts';
import type { OperationCommand, View } from './operation-command.ts';

export const importMemory: OperationCommand<ImportOutput> = {
  operands: [{ field: 'path', label: 'path', takes: 'one' }],
  inputOnly: ['lines', 'files'],
  viewOptions: [ALL_PROBLEMS],
  warnings: (output) => [...maskedWarnings(output), ...refusalWarnings(output)],
  render: (output, view) => {
    const { style } = view;
    const { renumbered, embedded, why, took_ms, dry_run, omitted } = output;
    const numbers = renumbered.map(({ from, to }) => ({
      location: `record/${String(from)}`,
      message: `is record/${String(to)} here`,
    }));
    const found = why === null || dry_run ? '' : ` Found by words for now: ${oneLine(why)}.`;
    const end = dry_run
      ? 'Nothing was changed.'
      : `Done in ${durationText(took_ms / 1000)}, ${formatCount(embedded, 'text')} embedded.`;
    const changes = output.changes.map(
      ({ location, change, title }) =>
        `${style.dim(`would ${CHANGE_WORDS[change] ?? change}`)} ${oneLine(title)} ${style.dim(`(${oneLine(location)})`)}`,
    );
    return [
      ...indent(limitLines(changes, view), '  '),
      ...remarks('not imported', output.problems, view, style.warning),
      ...remarks('conflict', output.conflicts, view, style.warning),
      ...remarks('note', numbers, view, style.dim),
      ...(omitted > 0 ? [style.dim(`  … and ${String(omitted)} more`)] : []),
      `${style.bold(FORMAT_NAMES[output.format])}: ${countsOf(output)}`,
      ...output.conversations.map((read) => `  ${conversationCounts(read)}`),
      `${style.dim(end)}${found}`,
      ...privacyHint(output.private, dry_run),
      '',
    ].join('\n');
  },
};

const CHANGE_WORDS: Readonly<Record<string, string>> = {
  added: 'add',
  updated: 'update',
  removed: 'remove',
};

const FORMAT_NAMES: Readonly<Record<ImportOutput['format'], string>> = {
  jsonl: 'Export in JSON Lines',
  openclaw: 'OpenClaw agent',
  shadowdb: 'ShadowDB',
  conversations: 'Conversations',
};

/** What people call the items of each type. */
const TYPE_NAMES: Readonly<Record<ItemTypeName, readonly [one: string, several: string]>> = {
  record: ['record', 'records'],
  startup: ['startup entry', 'startup entries'],
  receipt: ['receipt', 'receipts'],
  audit: ['audit entry', 'audit entries'],
  history: ['run', 'runs'],
};

/** What was done with the items of each type. A type of which there are none is left out. */
function countsOf({ records, ...output }: ImportOutput): string {
  const texts = (Object.keys(TYPE_NAMES) as ItemTypeName[]).flatMap((type) => {
    const counts = type === 'record' ? records : output[type];
    const done = Object.entries(counts).filter(([, count]) => count > 0);
    const text = done.map(([change, count]) => `${String(count)} ${change}`).join(', ');
    return text === '' ? [] : [`${TYPE_NAMES[type][1]}: ${text}`];
  });
  return texts.length === 0 ? 'nothing' : texts.join('; ');
}

function conversationCounts(read: ImportOutput['conversations'][number]): string {
  const { source, conversations, messages, days, empty } = read;
  const counts = `${formatCount(conversations, 'conversation')}, ${formatCount(messages, 'message')}, ${formatCount(days, 'day')}`;
  return `${source}: ${counts}${empty === 0 ? '' : `; ${String(empty)} without text left out`}`;
}

/** How agents get to find the conversations, which are private at first. */
function privacyHint(sources: readonly string[], dry_run: boolean): string[] {
  if (sources.length === 0 || dry_run) return [];
  const entries = sources.map((id) => `  - { id: ${id}, kind: conversations, includeInContext: true }`);
  return [
    'Only you find them. To let your agents find them too, add to `sources:` in loci.yaml:',
    ...entries,
  ];
}

const MAX_LOCATIONS = 10;

/** These words are true of a dry run too, and of an import that changes nothing. */
function maskedWarnings({ masked, masked_in }: ImportOutput): string[] {
  if (masked.length === 0) return [];
  const locations = masked_in
    .slice(0, MAX_LOCATIONS)
    .map(({ location, message }) => `${oneLine(location)} (${oneLine(message)})`);
  const more = masked_in.length - locations.length;
  const rest = more > 0 ? ` and ${String(more)} more` : '';
  return [`secrets in these are masked and not stored: ${locations.join(', ')}${rest}`];
}

function remarks(
  label: string,
  list: readonly { readonly location: string; readonly message: string }[],
  view: View,
  labelStyle: (text: string) => string,
): string[] {
  const lines = list.map(
    ({ location, message }) => `${labelStyle(label)} ${oneLine(location)}: ${oneLine(message)}`,
  );
  return indent(limitLines(lines, view), '  ');
}

export const exportMemory: OperationCommand<ExportOutput> = {
  isLong: true,
  warnings: ({ next }) =>
    next === null
      ? []
      : [`this is only a part: \`--to FILE\` writes everything, \`--after ${next}\` prints the next page`],
  render: ({ lines, to, counts, took_ms }, { terminal, style }) => {
    if (to === null || counts === null) return terminal ? escapeControlJson(lines ?? '') : (lines ?? '');
    const texts = (Object.entries(TYPE_NAMES) as [ItemTypeName, readonly [string, string]][]).flatMap(
      ([type, [one, several]]) => {
        const deleted = type === 'record' ? ` (${String(counts.deleted)} deleted)` : '';
        return counts[type] === 0 && type !== 'record'
          ? []
          : formatCount(counts[type], one, several) + deleted;
      },
    );
    const end = style.dim(`Done in ${durationText(took_ms / 1000)}.`);
    return `Exported ${texts.join(', ')} to ${oneLine(to)}.\n${end}\n`;
  },
};
