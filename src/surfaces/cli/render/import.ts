import type { ImportOutput } from '../../../operations/import.ts';
import { oneLine } from '../neutralise.ts';
import { duration } from '../progress.ts';
import type { Renderer, View } from './renderer.ts';

export const importRenderer: Renderer<ImportOutput> = {
  notices: ({ masked }) =>
    masked.length === 0 ? [] : [`secrets were masked before anything was stored: ${masked.join(', ')}`],
  render: (output, view) => {
    const { style } = view;
    const { renumbered, embedded, why, took_ms, dry_run, untold } = output;
    const changes = output.changes.map(({ where, change, title }) => ({
      where,
      what: `${change}: ${title}`,
    }));
    const numbers = renumbered.map(({ from, to }) => ({
      where: `record/${String(from)}`,
      what: `is record/${String(to)} here`,
    }));
    const texts = embedded === 1 ? 'text' : 'texts';
    const found = why === null || dry_run ? '' : ` Found by words for now: ${oneLine(why)}.`;
    const end = dry_run
      ? 'Nothing was changed.'
      : `Done in ${duration(took_ms / 1000)}, ${String(embedded)} ${texts} embedded.`;
    return [
      ...remarks('would be', changes, view, style.dim),
      ...remarks('not imported', output.problems, view, style.warning),
      ...remarks('conflict', output.conflicts, view, style.warning),
      ...remarks('note', numbers, view, style.dim),
      ...(untold > 0 ? [style.dim(`  … and ${String(untold)} more`)] : []),
      `${style.bold(FORMS[output.format])}: ${tallies(output).join('; ')}`,
      `${style.dim(end)}${found}`,
      '',
    ].join('\n');
  },
};

const FORMS: Readonly<Record<ImportOutput['format'], string>> = {
  jsonl: 'Export in JSON Lines',
  markdown: 'Export in Markdown',
  openclaw: 'OpenClaw agent',
};

function tallies({ records, startup, audit, history }: ImportOutput): string[] {
  const beside = [
    ...(audit > 0 ? [`${String(audit)} ${audit === 1 ? 'audit entry' : 'audit entries'} added`] : []),
    ...(history > 0 ? [`${String(history)} ${history === 1 ? 'run' : 'runs'} added`] : []),
  ];
  return [`records: ${tally(records)}`, `startup entries: ${tally(startup)}`, ...beside];
}

function tally(counts: ImportOutput['records']): string {
  const told = Object.entries(counts).filter(([, count]) => (count as number) > 0);
  if (told.length === 0) return 'none';
  return told
    .map(([what, count]) => `${String(count)} ${what === 'kept' ? 'kept as here' : what}`)
    .join(', ');
}

const SHOWN = 10;

function remarks(
  label: string,
  list: readonly { readonly where: string; readonly what: string }[],
  { options, style }: View,
  paint: (text: string) => string,
): string[] {
  const shown = options.has('verbose') ? list : list.slice(0, SHOWN);
  const lines = shown.map(({ where, what }) => `  ${paint(label)} ${oneLine(where)}: ${oneLine(what)}`);
  const more = list.length - shown.length;
  return more > 0 ? [...lines, style.dim(`  … and ${String(more)} more; --verbose lists them`)] : lines;
}
