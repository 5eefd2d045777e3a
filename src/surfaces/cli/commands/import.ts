import { counted } from '../../../core/text/counted.ts';
import type { ImportOutput } from '../../../operations/portable/import.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { duration } from '../format/progress-display.ts';
import type { Renderer, View } from './operation-command.ts';

export const importRenderer: Renderer<ImportOutput> = {
  notices: maskedIn,
  render: (output, view) => {
    const { style } = view;
    const { renumbered, embedded, why, took_ms, dry_run, omitted } = output;
    const numbers = renumbered.map(({ from, to }) => ({
      where: `record/${String(from)}`,
      what: `is record/${String(to)} here`,
    }));
    const found = why === null || dry_run ? '' : ` Found by words for now: ${oneLine(why)}.`;
    const end = dry_run
      ? 'Nothing was changed.'
      : `Done in ${duration(took_ms / 1000)}, ${counted(embedded, 'text')} embedded.`;
    return [
      ...upTo(output.changes, view, ({ where, change, title }) => {
        const what =
          change === 'removed' ? 'would remove' : change === 'added' ? 'would add' : 'would update';
        return `${style.dim(what)} ${oneLine(title)} ${style.dim(`(${oneLine(where)})`)}`;
      }),
      ...remarks('not imported', output.problems, view, style.warning),
      ...remarks('conflict', output.conflicts, view, style.warning),
      ...remarks('note', numbers, view, style.dim),
      ...(omitted > 0 ? [style.dim(`  … and ${String(omitted)} more`)] : []),
      `${style.bold(FORMS[output.format])}: ${tallies(output).join('; ')}`,
      `${style.dim(end)}${found}`,
      '',
    ].join('\n');
  },
};

const FORMS: Readonly<Record<ImportOutput['format'], string>> = {
  jsonl: 'Export in JSON Lines',
  openclaw: 'OpenClaw agent',
};

function tallies({ records, startup, audit, history }: ImportOutput): string[] {
  const related = [
    ...(audit > 0 ? [`${counted(audit, 'audit entry', 'audit entries')} added`] : []),
    ...(history > 0 ? [`${counted(history, 'run')} added`] : []),
  ];
  return [`records: ${tally(records)}`, `startup entries: ${tally(startup)}`, ...related];
}

function tally(counts: ImportOutput['records']): string {
  const told = Object.entries(counts).filter(([, count]) => (count) > 0);
  if (told.length === 0) return 'none';
  return told
    .map(([what, count]) => `${String(count)} ${what === 'kept' ? 'kept as here' : what}`)
    .join(', ');
}

const SHOWN = 10;

/** In words that hold for a dry run, and for an import that changes nothing, as well. */
function maskedIn({ masked, masked_in }: ImportOutput): string[] {
  if (masked.length === 0) return [];
  const places = masked_in.slice(0, SHOWN).map(({ where, what }) => `${oneLine(where)} (${oneLine(what)})`);
  const more = masked_in.length - places.length;
  const rest = more > 0 ? ` and ${String(more)} more` : '';
  return [`secrets in these are masked and not stored: ${places.join(', ')}${rest}`];
}

function remarks(
  label: string,
  list: readonly { readonly where: string; readonly what: string }[],
  view: View,
  paint: (text: string) => string,
): string[] {
  return upTo(list, view, ({ where, what }) => `${paint(label)} ${oneLine(where)}: ${oneLine(what)}`);
}

/** A line for each of the first, or of all. */
function upTo<Entry>(
  list: readonly Entry[],
  { options, style }: View,
  told: (entry: Entry) => string,
): string[] {
  const shown = options.has('verbose') ? list : list.slice(0, SHOWN);
  const lines = shown.map((entry) => `  ${told(entry)}`);
  const more = list.length - shown.length;
  return more > 0 ? [...lines, style.dim(`  … and ${String(more)} more; --verbose lists them`)] : lines;
}
