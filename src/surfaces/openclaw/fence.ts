/** The bracket of a tag that opens or closes a fence, with any spaces and in any case. */
const BRACKET_OF_TAG = /<(?=[\s/]*loci-(?:recall|pack))/giu;
/** A whole fence with its text (`pack/render.ts`). One that is not closed ends with the text. */
const WHOLE_FENCE = /<(loci-(?:recall|pack)) id="([0-9a-f]{1,64})">[\s\S]*?(?:<\/\1 id="\2">|$)\s*/gu;

/** Removes the fences from a message, so that recalled text is not taken for what the user said. */
export function withoutFences(message: string): string {
  return message.replaceAll(WHOLE_FENCE, '').replaceAll(BRACKET_OF_TAG, '‹').trim();
}
