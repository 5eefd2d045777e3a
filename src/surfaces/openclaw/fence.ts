import { randomBytes } from 'node:crypto';

const TAG = 'loci-recall';

/** The bracket of a tag that opens or closes a fence, with any spaces and in any case. */
const BRACKET_OF_TAG = /<(?=[\s/]*loci-recall)/giu;
/** A whole fence with its text. One that is not closed ends with the text. */
const WHOLE_FENCE = new RegExp(`<${TAG} id="([0-9a-f]{16})">[\\s\\S]*?(?:</${TAG} id="\\1">|$)\\s*`, 'gu');

/**
 * Puts recalled text into a fence with a random name. The text cannot end it: the brackets of tags in it are replaced, and nobody who
 * wrote the text knew the name.
 */
export function fenced(text: string, explanation: string): string {
  const id = randomBytes(8).toString('hex');
  return `<${TAG} id="${id}">\n${explanation}\n\n${text.replaceAll(BRACKET_OF_TAG, '‹')}\n</${TAG} id="${id}">`;
}

/** A message without the fences in it, so that what was recalled is not taken for what the user said. */
export function withoutFences(message: string): string {
  return message.replaceAll(WHOLE_FENCE, '').replaceAll(BRACKET_OF_TAG, '‹').trim();
}
