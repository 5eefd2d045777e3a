import type {
  StartupListOutput,
  StartupRemoveOutput,
  StartupSetOutput,
  StartupTextOutput,
} from '../../../engine/startup/startup-fields.ts';
import { shellWord } from '../../../core/text/split-command.ts';
import { escapeControl, oneLine } from '../../shared/escape-control.ts';
import { tables } from '../format/output-text.ts';
import { maskedWarnings } from '../format/phrases.ts';
import type { Operand, OperationCommand } from './operation-command.ts';

const NO_ENTRIES = 'There are no startup entries; `loci startup set KEY CONTENT` creates one.';
const KEY: Operand = { field: 'key', label: 'key', takes: 'one' };

export const startupList: OperationCommand<StartupListOutput> = {
  render: tables({ entries: 'priority key agent reinforce characters updated_at content' }, NO_ENTRIES),
};

export const startupSet: OperationCommand<StartupSetOutput> = {
  operands: [KEY, { field: 'content', label: 'content', takes: 'words' }],
  negatable: ['reinforce'],
  warnings: (output) => [
    ...maskedWarnings(output),
    ...(output.too_long === null ? [] : [`${oneLine(output.entry.key)}: ${output.too_long}`]),
  ],
  render: ({ entry, created }, view) =>
    `${created ? 'Created' : 'Changed'} ${oneLine(entry.key)}:\n` +
    tables({}, '', 'priority agent reinforce characters')(entry, view),
};

export const startupRemove: OperationCommand<StartupRemoveOutput> = {
  operands: [KEY],
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
      cut_from === null
        ? []
        : [`${oneLine(key)} is cut: ${String(characters)} of ${String(cut_from)} characters fit`],
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
    const { text, included, left_out } = output;
    if (included.length + left_out.length === 0) return `${NO_ENTRIES}\n`;
    const shown = text === '' ? view.style.dim('Nothing is injected.') : escapeControl(text);
    const entries = tables(
      { included: 'priority key agent characters cut_from', left_out: 'priority key agent why' },
      '',
      'mode characters budget',
    )(output, view);
    return `${shown}\n${view.style.dim('─'.repeat(view.columns))}\n${entries}`;
  },
};
