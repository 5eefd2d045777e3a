import { formatCount } from '../../../core/text/format-count.ts';
import { isJsonMap } from '../../../core/json.ts';
import type { Json } from '../../../core/types.ts';
import type { AuditOutput } from '../../../engine/audit/read-audit.ts';
import { escapeControl, oneLine } from '../../shared/escape-control.ts';
import { clip } from '../format/text-width.ts';
import { localTimeText } from '../format/times.ts';
import { indent } from '../format/wrap.ts';
import { limitLines } from '../format/lists.ts';
import type { OperationCommand, View } from './operation-command.ts';
import { nextPageLines } from '../format/output-text.ts';

type Entry = AuditOutput['entries'][number];

export const audit: OperationCommand<AuditOutput> = {
  shortOptions: { limit: 'n' },
  aliases: { until: 'to' },
  viewOptions: [
    { name: 'verbose', description: 'changes in full, with the position and hash of each entry' },
  ],
  render: ({ entries, next, verified }, view) => {
    const lines = entries.flatMap((entry) => entryLines(entry, view));
    const none = entries.length === 0 ? ['No matching entries in the audit log.'] : [];
    return `${[...none, ...lines, ...nextPageLines(next, view), ...verifiedLines(verified, view)].join('\n')}\n`;
  },
};

function verifiedLines(verified: AuditOutput['verified'], { style }: View): string[] {
  if (verified === undefined) return [];
  const { entries, faults } = verified;
  if (faults.length > 0) return ['', ...faults.map((fault) => style.bad(oneLine(fault)))];
  return ['', style.good(`${formatCount(entries, 'entry', 'entries')}, none missing or changed`)];
}

export const MARGIN = '    ';

function entryLines(entry: Entry, view: View): string[] {
  const { style, options } = view;
  const { at, actor, surface, session, action, subject, record, diff, erased, seq, chain, hash } = entry;
  const about = record === null ? oneLine(subject ?? '') : `record/${String(record)}`;
  const who = `${oneLine(actor)} via ${oneLine(surface)}`;
  const head = `${style.dim(localTimeText(at))}  ${who}  ${style.bold(oneLine(action))}  ${style.link(about)}`;
  const verbose = options.has('verbose');
  const details = [
    ...(erased ? [style.dim('the change was erased when the record was purged')] : []),
    ...(diff === null ? [] : diffLines(diff, view)),
    ...(verbose && session !== null ? [style.dim(`session ${oneLine(session)}`)] : []),
    ...(verbose ? [style.dim(`entry ${String(seq)} of ${chain}`), style.dim(`hash ${hash}`)] : []),
  ];
  return [head.trimEnd(), ...indent(details, MARGIN)];
}

/** A line for each changed field, and the lines of a patch below its field. */
export function diffLines(diff: Readonly<Record<string, Json>>, view: View): string[] {
  const { style, columns, options } = view;
  const room = columns - MARGIN.length - 2;
  const cut = (line: string): string => (options.has('verbose') ? line : clip(line, room));
  return Object.entries(diff).flatMap(([field, change]) => {
    const name = oneLine(field);
    // An imported log may hold changes of unknown shape: they are shown as JSON.
    const { patch, before, after, characters } = isJsonMap(change) ? change : {};
    if (typeof patch === 'string') {
      // Leaves out "\\ No newline at end of file".
      const lines = escapeControl(patch)
        .trimEnd()
        .split('\n')
        .filter((line) => !line.startsWith('\\'));
      const styled = lines.map((line) => {
        const lineStyle = line.startsWith('+') ? style.good : line.startsWith('-') ? style.bad : style.dim;
        return lineStyle(cut(line));
      });
      return [`${name}:`, ...indent(limitLines(styled, view), '  ')];
    }
    if (before !== undefined && after !== undefined)
      return [cut(`${name}: ${valueText(before)} → ${valueText(after)}`)];
    const value =
      typeof characters === 'number' ? `${String(characters)} characters` : valueText(after ?? change);
    return [style.dim(cut(`${name}: ${value}`))];
  });
}

function valueText(value: Json): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ');
  return oneLine(typeof value === 'string' && value !== '' ? value : JSON.stringify(value));
}
