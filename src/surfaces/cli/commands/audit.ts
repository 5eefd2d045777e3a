import type { Json } from '../../../core/types.ts';
import type { AuditOutput } from '../../../operations/audit/audit.ts';
import { escapeControl, oneLine } from '../../shared/escape-control.ts';
import type { Style } from '../format/style.ts';
import { clip } from '../format/text-width.ts';
import { localTime } from '../format/times.ts';
import { indent, wrap } from '../format/wrap.ts';
import type { Renderer, View } from './operation-command.ts';

type Entry = AuditOutput['entries'][number];

export const auditRenderer: Renderer<AuditOutput> = {
  render: ({ entries, next }, view) => {
    if (entries.length === 0) return 'Nothing of the kind is in the log.\n';
    const lines = entries.flatMap((entry) => entryLines(entry, view));
    const more = next === null ? [] : ['', view.style.dim(`\`--after ${next}\` goes on from here`)];
    return `${[...lines, ...more].join('\n')}\n`;
  },
};

/** Lines of one text that are shown unless all are asked for. */
const SHOWN = 10;
const MARGIN = '    ';

function entryLines(entry: Entry, { style, columns, options }: View): string[] {
  const { at, actor, surface, action, subject, record, diff, erased, seq, chain, hash } = entry;
  const about = record === null ? oneLine(subject ?? '') : `record/${String(record)}`;
  const who = `${oneLine(actor)} via ${oneLine(surface)}`;
  const head = `${style.dim(localTime(at))}  ${who}  ${style.bold(oneLine(action))}  ${style.link(about)}`;
  const verbose = options.has('verbose');
  const room = columns - MARGIN.length;
  const details = [
    ...(erased ? [style.dim('what it changed went with the record, when its time was over')] : []),
    ...(diff === null ? [] : diffLines(diff, style, verbose, room)),
    ...(verbose ? [style.dim(`entry ${String(seq)} of ${chain}`), style.dim(`hash ${hash}`)] : []),
  ];
  return [head.trimEnd(), ...indent(details, MARGIN)];
}

/** What was new at the beginning on lines together, then each change and each patch on lines of its own. */
function diffLines(
  diff: Readonly<Record<string, Json>>,
  style: Style,
  verbose: boolean,
  room: number,
): string[] {
  const fields = Object.entries(diff).map(([field, change]) => ({
    name: oneLine(field),
    change: shapeOf(change),
  }));
  const news = fields.flatMap(({ name, change }) =>
    change.kind === 'new' ? [`${name} ${change.after}`] : [],
  );
  const changes = fields.flatMap(({ name, change }) => {
    if (change.kind === 'new') return [];
    if (change.kind === 'patch') return patchLines(name, change.lines, style, verbose, room);
    const line = `${name}: ${change.before} → ${change.after}`;
    return verbose ? wrap(line, room) : [clip(line, room)];
  });
  const together = wrap(news.join(' · '), room).map((line) => style.dim(line));
  return [...(verbose ? together : cut(together, style)), ...changes];
}

type Change =
  | { readonly kind: 'new'; readonly after: string }
  | { readonly kind: 'changed'; readonly before: string; readonly after: string }
  | { readonly kind: 'patch'; readonly lines: readonly string[] };

/** The log may come from elsewhere: whatever is not of a known shape is shown as JSON. */
function shapeOf(change: Json): Change {
  if (typeof change !== 'object' || change === null || Array.isArray(change))
    return { kind: 'new', after: shown(change) };
  const { patch, before, after, characters } = change;
  if (typeof patch === 'string') return { kind: 'patch', lines: escapeControl(patch).trimEnd().split('\n') };
  if (before !== undefined && after !== undefined)
    return { kind: 'changed', before: shown(before), after: shown(after) };
  if (typeof characters === 'number') return { kind: 'new', after: `of ${String(characters)} characters` };
  return { kind: 'new', after: shown(after ?? change) };
}

function shown(value: Json): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(shown).join(', ');
  return oneLine(typeof value === 'string' && value !== '' ? value : JSON.stringify(value));
}

function patchLines(
  name: string,
  lines: readonly string[],
  style: Style,
  verbose: boolean,
  room: number,
): string[] {
  const kept = lines.filter((line) => !line.startsWith('\\'));
  const painted = kept.map((line) => {
    const paint = line.startsWith('+') ? style.good : line.startsWith('-') ? style.bad : style.dim;
    return paint(verbose ? line : clip(line, room - 2));
  });
  return [`${name}:`, ...indent(verbose ? painted : cut(painted, style), '  ')];
}

function cut(lines: readonly string[], { dim }: Style): readonly string[] {
  const more = lines.length - SHOWN;
  return more <= 0
    ? lines
    : [...lines.slice(0, SHOWN), dim(`… and ${String(more)} more lines; --verbose shows all`)];
}
