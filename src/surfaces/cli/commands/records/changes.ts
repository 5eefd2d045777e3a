import type { DeleteOutput } from '../../../../operations/records/delete.ts';
import type { UndeleteOutput } from '../../../../operations/records/undelete.ts';
import type { UpdateOutput } from '../../../../operations/records/update.ts';
import type { WriteOutput } from '../../../../operations/records/write.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import { untilInWords } from '../../format/times.ts';
import { maskedNotices, recordNamed, wordsAlone } from '../../format/phrases.ts';
import type { Renderer } from '../operation-command.ts';

export const writeRenderer: Renderer<WriteOutput> = {
  notices: maskedNotices,
  render: (output, { style }) => {
    const { id, citation, same_as, replayed } = output;
    const told = `${style.link(citation)} (id ${String(id)})`;
    const first = replayed
      ? `Remembered before as ${told}, under the same idempotency key; nothing was written now.\n`
      : `Remembered as ${told}.\n`;
    const twice =
      same_as === null
        ? ''
        : `The same text was remembered before, as record/${String(same_as)}; both are kept.\n`;
    return first + twice + wordsAlone(output);
  },
};

export const updateRenderer: Renderer<UpdateOutput> = {
  notices: maskedNotices,
  render: (output, { style }) => {
    const { citation, changed, reembedded } = output;
    if (changed.length === 0)
      return `${style.link(citation)} stays as it was: it says all of that already.\n`;
    const fields = changed.map(oneLine).join(', ');
    return `Changed ${style.link(citation)}: ${fields}.\n${reembedded ? wordsAlone(output) : ''}`;
  },
};

export const deleteRenderer: Renderer<DeleteOutput> = {
  render: (output) => {
    const until = untilInWords(output.purged_after, Date.now());
    return `Deleted ${recordNamed(output)}. \`loci undelete ${String(output.id)}\` brings it back until ${until}.\n`;
  },
};

export const undeleteRenderer: Renderer<UndeleteOutput> = {
  render: (output) => `${recordNamed(output)} is back.\n${wordsAlone(output)}`,
};
