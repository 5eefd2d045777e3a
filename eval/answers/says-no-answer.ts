import { NO_CLEAR_ANSWER } from '../../src/pack/render.ts';
import { ITEM_MARK } from '../../src/pack/text/span.ts';

/** Whether a text is empty, or says before its first item that no note clearly answers. */
export function saysNoAnswer(text: string): boolean {
  if (text === '') return true;
  const [beginning = ''] = text.split(ITEM_MARK, 1);
  return beginning.includes(NO_CLEAR_ANSWER);
}
