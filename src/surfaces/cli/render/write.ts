import type { WriteOutput } from '../../../operations/write.ts';
import { oneLine } from '../neutralise.ts';
import type { Renderer } from './renderer.ts';

export const writeRenderer: Renderer<WriteOutput> = {
  render: ({ id, citation, embedded, why, same_as }, { style }) => {
    const found = embedded
      ? ''
      : `Found by its words for now: ${oneLine(why ?? 'it is not embedded yet')}.\n`;
    const twice =
      same_as === null
        ? ''
        : `The same text was remembered before, as record/${String(same_as)}; both are kept.\n`;
    return `Remembered as ${style.link(citation)} (id ${String(id)}).\n${twice}${found}`;
  },
};
