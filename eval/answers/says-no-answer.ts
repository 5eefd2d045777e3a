import { ITEM_MARK } from '../../src/pack/text/span.ts';

/** Words of the first sentence of a pack that may hold no answer, in lower case. */
const NO_CLEAR_ANSWER = 'no note clearly answers';

/** Whether a text is empty, or says before its first item that no note clearly answers. */
export function saysNoAnswer(text: string): boolean {
  if (text === '') return true;
  const [beginning = ''] = text.split(ITEM_MARK, 1);
  return beginning.toLowerCase().includes(NO_CLEAR_ANSWER);
}
