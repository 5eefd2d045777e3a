/**
 * Characters that no reader sees and a model reads all the same: tags (U+E0000–E007F), and variation selectors behind
 * another. Of tags, those that make the flag of a region are a picture (UTS #51, ED-14a): a black flag, a code of three to
 * six letters and digits, and the tag that ends it.
 */
const TAGS =
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f})|[\u{e0000}-\u{e007f}]|(?<=[\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
/** Marks that make a text look other than it reads: they nest and overrule the direction of writing. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;
/**
 * What stands between letters and is not seen: hyphens that may break, spaces and joiners without a width, marks of
 * direction, byte order marks. U+200C and U+200D, which Persian and emoji are written with, as long as they are alone.
 */
const FORMATTING =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u206f\ufeff\ufff9-\ufffb]|(?<=[\u200c\u200d])[\u200c\u200d]/g;

/** A text in which nothing is hidden from its reader; the flags of regions stay. */
export function withoutHidden(text: string, shown: (hidden: string) => string = () => ''): string {
  return replaceTags(text, shown).replaceAll(TURNING, shown);
}

/** The same for a name or a label, without anything that is not seen. */
export function withoutUnseen(text: string): string {
  return withoutHidden(text).replaceAll(FORMATTING, '');
}

/** With something in the place of each character that only a model reads. */
export function replaceTags(text: string, shown: (hidden: string) => string): string {
  return text.replaceAll(TAGS, (found: string, flag: string | undefined) => flag ?? shown(found));
}

/** As escapes of JSON: they mean the same, and are seen. */
export function jsonEscapes(characters: string): string {
  return characters
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
