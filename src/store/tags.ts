/** The form in which tags are compared: in any case, and however their characters are put together. */
export function foldTag(tag: string): string {
  return tag.normalize('NFC').toLowerCase();
}
