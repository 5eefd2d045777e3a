import type {
  DeleteOutput,
  UndeleteOutput,
  UpdateOutput,
  WriteOutput,
} from '../../../../engine/records/record-schemas.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import { maskedWarnings, formatNotEmbedded, recordWithTitle } from '../../format/phrases.ts';
import { expiryText } from '../../format/times.ts';
import type { Operand, OperationCommand } from '../operation-command.ts';

const ID: Operand = { field: 'id', label: 'id', takes: 'one' };

export const write: OperationCommand<WriteOutput> = {
  operands: [{ field: 'content', label: 'content', takes: 'words' }],
  shortOptions: { title: 't' },
  aliases: { record_type: 'type' },
  commaLists: ['tags'],
  warnings: maskedWarnings,
  render: (output, { style }) => {
    const { citation, same_as, replayed } = output;
    const name = style.link(citation);
    const first = replayed
      ? `Remembered before as ${name}, with the same idempotency key; nothing was written now.\n`
      : `Remembered as ${name}.\n`;
    const duplicate = same_as === null ? '' : `record/${String(same_as)} has the same text; both are kept.\n`;
    return first + duplicate + formatNotEmbedded(output);
  },
};

export const update: OperationCommand<UpdateOutput> = {
  operands: [ID],
  shortOptions: { title: 't' },
  aliases: { record_type: 'type' },
  commaLists: ['tags'],
  warnings: maskedWarnings,
  render: (output, { style }) => {
    const { citation, changed, reembedded } = output;
    if (changed.length === 0) return `${style.link(citation)} is unchanged: it has these values already.\n`;
    const fields = changed.map(oneLine).join(', ');
    return `Changed ${style.link(citation)}: ${fields}.\n${reembedded ? formatNotEmbedded(output) : ''}`;
  },
};

export const deleteRecord: OperationCommand<DeleteOutput> = {
  operands: [ID],
  render: (output) => {
    const expiry = expiryText(output.purged_after, Date.now());
    return `Deleted ${recordWithTitle(output)}. \`loci undelete ${String(output.id)}\` restores it until ${expiry}.\n`;
  },
};

export const undelete: OperationCommand<UndeleteOutput> = {
  operands: [ID],
  render: (output) => `Restored ${recordWithTitle(output)}.\n${formatNotEmbedded(output)}`,
};
