import type {
  StartupEntryOutput,
  StartupListOutput,
  StartupRemoveOutput,
  StartupSetOutput,
  StartupTextOutput,
} from '../../../engine/startup/startup-fields.ts';
import { alignColumns } from '../format/table.ts';
import { shellWord } from '../../../core/text/split-command.ts';
import { escapeControl, oneLine } from '../../shared/escape-control.ts';
import { clip } from '../format/text-width.ts';
import { ageText } from '../format/times.ts';
import { indent, wrap } from '../format/wrap.ts';
import { maskedWarnings } from '../format/phrases.ts';
import type { OperationCommand, View } from './operation-command.ts';

const NO_ENTRIES = 'There are no startup entries; `loci startup set KEY CONTENT` creates one.';

export const startupList: OperationCommand<StartupListOutput> = {
  render: ({ entries }, { style, columns }) => {
    if (entries.length === 0) return `${NO_ENTRIES}\n`;
    const now = Date.now();
    const lines = entries.flatMap((entry) => [
      `P${String(entry.priority)} ${style.bold(clip(oneLine(entry.key), columns - 3))}`,
      `   ${style.dim(clip(`${entryDetails(entry)} · ${ageText(entry.updated_at, now)}`, columns - 3))}`,
      `   ${clip(oneLine(entry.content).trim(), columns - 3)}`,
    ]);
    return `${lines.join('\n')}\n`;
  },
};

/** `for every agent · reinforced · 28 characters`. */
function entryDetails({ agent, reinforce, characters }: StartupEntryOutput): string {
  const audience = agent === null ? 'for every agent' : `for ${oneLine(agent)}`;
  return [audience, ...(reinforce ? ['reinforced'] : []), characterCount(characters)].join(' · ');
}

function characterCount(count: number): string {
  return count === 1 ? '1 character' : `${grouped(count)} characters`;
}

/** `812 of 2,000 characters fit`. */
function cutText(characters: number, cutFrom: number): string {
  return `${grouped(characters)} of ${characterCount(cutFrom)} fit`;
}

/** `20,000`. */
function grouped(count: number): string {
  return count.toLocaleString('en-GB');
}

export const startupSet: OperationCommand<StartupSetOutput> = {
  operands: [
    { field: 'key', label: 'key', takes: 'one' },
    { field: 'content', label: 'content', takes: 'words' },
  ],
  negatable: ['reinforce'],
  warnings: (output) => [
    ...maskedWarnings(output),
    ...(output.too_long === null ? [] : [`${oneLine(output.entry.key)}: ${output.too_long}`]),
  ],
  render: ({ entry, created }) =>
    `${created ? 'Created' : 'Changed'} ${oneLine(entry.key)}: P${String(entry.priority)} · ${entryDetails(entry)}.\n`,
};

export const startupRemove: OperationCommand<StartupRemoveOutput> = {
  operands: [{ field: 'key', label: 'key', takes: 'one' }],
  render: ({ removed: { key, agent } }) => {
    const audience = agent === null ? '' : ` for ${oneLine(agent)}`;
    const option = agent === null ? '' : ` --agent ${shellWord(oneLine(agent))}`;
    const command = `loci startup set ${shellWord(oneLine(key))}${option}`;
    return `Removed ${oneLine(key)}${audience}. \`${command}\` restores it.\n`;
  },
};

/** Prints the text unchanged, for a program that injects it into a prompt. */
export const startupInject: OperationCommand<StartupTextOutput> = {
  warnings: ({ included, left_out, notice }) => [
    ...(notice === undefined ? [] : [notice]),
    ...included.flatMap(({ key, characters, cut_from }) =>
      cut_from === null ? [] : [`${oneLine(key)} is cut: ${cutText(characters, cut_from)}`],
    ),
    ...left_out.flatMap(({ key, why, too_long }) =>
      too_long ? [`${oneLine(key)} is left out: ${why}`] : [],
    ),
  ],
  render: ({ text }, { terminal }) => (text === '' ? '' : `${terminal ? escapeControl(text) : text}\n`),
};

export const startupPreview: OperationCommand<StartupTextOutput> = {
  inputOnly: ['draft'],
  render: (output, view) => {
    const { text, mode, characters, budget, included, left_out } = output;
    if (included.length + left_out.length === 0) return `${NO_ENTRIES}\n`;
    const { style, columns } = view;
    const used = `${grouped(characters)} of ${characterCount(budget)}, mode ${mode}`;
    const rule = style.dim('─'.repeat(columns));
    const shown = text === '' ? [style.dim('Nothing is injected.')] : [escapeControl(text)];
    return `${[...shown, rule, used, ...entryLines(output, view)].join('\n')}\n`;
  },
};

function entryLines({ included, left_out }: StartupTextOutput, { style, columns }: View): string[] {
  const rows = included.map(({ key, priority, characters, cut_from }) => [
    `P${String(priority)}`,
    oneLine(key),
    cut_from === null ? characterCount(characters) : `cut: ${cutText(characters, cut_from)}`,
  ]);
  const includedLines = alignColumns(rows, {
    columns: columns - 2,
    flexible: [1],
    cellStyles: [String, style.bold, style.dim],
  });
  const leftOutLines = left_out.flatMap(({ key, priority, why }) => [
    `P${String(priority)}  ${style.bold(clip(oneLine(key), columns - 6))}`,
    ...indent(wrap(oneLine(why), columns - 6), '    '),
  ]);
  return [
    ...indent(includedLines, '  '),
    ...(leftOutLines.length === 0 ? [] : ['', style.warning('left out:'), ...indent(leftOutLines, '  ')]),
  ];
}
