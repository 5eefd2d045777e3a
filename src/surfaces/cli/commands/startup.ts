import type { StartupEntryOutput } from '../../../operations/startup/startup-fields.ts';
import type { StartupListOutput } from '../../../operations/startup/list.ts';
import type { StartupRemoveOutput } from '../../../operations/startup/remove.ts';
import type { StartupSetOutput } from '../../../operations/startup/set.ts';
import type { StartupTextOutput } from '../../../operations/startup/startup-text.ts';
import { aligned } from '../format/table.ts';
import { shellWord } from '../fields.ts';
import { escapeControl, oneLine } from '../../shared/escape-control.ts';
import { clip } from '../format/text-width.ts';
import { ageInWords } from '../format/times.ts';
import { indent, wrap } from '../format/wrap.ts';
import { maskedNotices } from '../format/phrases.ts';
import type { Renderer, View } from './operation-command.ts';

const NONE = 'Agents are told nothing; `loci startup set KEY CONTENT` makes an entry.';

export const startupListRenderer: Renderer<StartupListOutput> = {
  render: ({ entries }, { style, columns }) => {
    if (entries.length === 0) return `${NONE}\n`;
    const now = Date.now();
    const lines = entries.flatMap((entry) => [
      `P${String(entry.priority)} ${style.bold(clip(oneLine(entry.key), columns - 3))}`,
      `   ${style.dim(clip(`${factsOf(entry)} · ${ageInWords(entry.updated_at, now)}`, columns - 3))}`,
      `   ${clip(oneLine(entry.content).trim(), columns - 3)}`,
    ]);
    return `${lines.join('\n')}\n`;
  },
};

/** `for every agent · reinforced · 28 characters`. */
function factsOf({ agent, reinforce, characters }: StartupEntryOutput): string {
  const whom = agent === null ? 'for every agent' : `for ${oneLine(agent)}`;
  return [whom, ...(reinforce ? ['reinforced'] : []), counted(characters)].join(' · ');
}

function counted(characters: number): string {
  return characters === 1 ? '1 character' : `${grouped(characters)} characters`;
}

/** `20,000`. */
function grouped(count: number): string {
  return count.toLocaleString('en-GB');
}

export const startupSetRenderer: Renderer<StartupSetOutput> = {
  notices: (output) => [
    ...maskedNotices(output),
    ...(output.too_long === null ? [] : [`${oneLine(output.entry.key)}: ${output.too_long}`]),
  ],
  render: ({ entry, created }) =>
    `${created ? 'Made' : 'Set'} ${oneLine(entry.key)}: P${String(entry.priority)} · ${factsOf(entry)}.\n`,
};

export const startupRemoveRenderer: Renderer<StartupRemoveOutput> = {
  render: ({ removed: { key, agent } }) => {
    const whom = agent === null ? '' : ` for ${oneLine(agent)}`;
    const option = agent === null ? '' : ` --agent ${shellWord(oneLine(agent))}`;
    const again = `loci startup set ${shellWord(oneLine(key))}${option}`;
    return `Removed ${oneLine(key)}${whom}. \`${again}\` brings it back.\n`;
  },
};

/** What a host takes as it is. */
export const startupInjectRenderer: Renderer<StartupTextOutput> = {
  notices: ({ left_out }) =>
    left_out.flatMap(({ key, why, too_long }) => (too_long ? [`${oneLine(key)} is left out: ${why}`] : [])),
  render: ({ text }, { terminal }) => (text === '' ? '' : `${terminal ? escapeControl(text) : text}\n`),
};

export const startupPreviewRenderer: Renderer<StartupTextOutput> = {
  render: (output, view) => {
    const { text, mode, characters, budget, included, left_out } = output;
    if (included.length + left_out.length === 0) return `${NONE}\n`;
    const { style, columns } = view;
    const used = `${grouped(characters)} of ${counted(budget)}, mode ${mode}`;
    const rule = style.dim('─'.repeat(columns));
    const told = text === '' ? [style.dim('Nothing is told.')] : [escapeControl(text)];
    return `${[...told, rule, used, ...entryLines(output, view)].join('\n')}\n`;
  },
};

function entryLines({ included, left_out }: StartupTextOutput, { style, columns }: View): string[] {
  const rows = included.map(({ key, priority, characters }) => [
    `P${String(priority)}`,
    oneLine(key),
    counted(characters),
  ]);
  const told = aligned(rows, {
    columns: columns - 2,
    flexible: [1],
    paints: [String, style.bold, style.dim],
  });
  const silent = left_out.flatMap(({ key, priority, why }) => [
    `P${String(priority)}  ${style.bold(clip(oneLine(key), columns - 6))}`,
    ...indent(wrap(oneLine(why), columns - 6), '    '),
  ]);
  return [
    ...indent(told, '  '),
    ...(silent.length === 0 ? [] : ['', style.warning('left out:'), ...indent(silent, '  ')]),
  ];
}
