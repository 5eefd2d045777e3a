/** Letters and marks of the scripts in which joiners change the shape of letters. */
const JOINING_LETTER = String.raw`[[\p{L}\p{M}]--[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{DI}]]`;
const RIGHT_TO_LEFT = String.raw`[[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}]--\p{DI}]`;
const DIRECTION_MARK = String.raw`[\u061c\u200e\u200f]`;

/**
 * Invisible characters that are part of how visible ones are written: the tags of the three flags of regions (Unicode's
 * emoji-sequences, RGI_Emoji_Tag_Sequence), a variation selector after a pictograph or in a keycap, a variation selector
 * of a Han character, a single joiner after a letter that it changes or between pictographs, and a direction mark next to
 * right-to-left text. Each pattern begins with the invisible character and looks behind it afterwards, which is fast.
 */
const VISIBLE_IN_CONTEXT = [
  String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
  String.raw`[\ufe0e\ufe0f](?<=\p{ExtPict}.)`,
  String.raw`[\ufe0e\ufe0f](?<=[0-9#*].)(?=\u20e3)`,
  String.raw`[\u{e0100}-\u{e01ef}](?<=\p{sc=Hani}.)`,
  String.raw`[\u200c\u200d](?<=${JOINING_LETTER}.)(?!\p{DI})`,
  String.raw`\u200d(?<=\p{ExtPict}[\ufe0f\u{1f3fb}-\u{1f3ff}]?.)(?=\p{ExtPict})`,
  String.raw`${DIRECTION_MARK}(?<=${RIGHT_TO_LEFT}.)(?!\p{DI})`,
  String.raw`${DIRECTION_MARK}(?=${RIGHT_TO_LEFT})(?<!\p{DI}.)`,
];

/**
 * Characters that a model reads although a person does not see them, or that make a text look different from what it
 * says: Unicode's Default_Ignorable_Code_Point (tags, variation selectors, fillers, zero-width spaces and joiners,
 * overrides of direction) and annotation marks. The first group matches those that are kept.
 */
export const INVISIBLE: RegExp = new RegExp(
  String.raw`(${VISIBLE_IN_CONTEXT.join('|')})|[\p{DI}\ufff9-\ufffb]`,
  'gsv',
);
const DIRECTION_MARKS = new RegExp(DIRECTION_MARK, 'g');

/** Removes the characters that a reader does not see, except those that pictographs and scripts need. */
export function removeInvisible(text: string): string {
  return replaceInvisible(text, () => '');
}

/** Removes direction marks as well: names and labels need none. */
export function removeInvisibleAndMarks(text: string): string {
  return removeInvisible(text).replaceAll(DIRECTION_MARKS, '');
}

/** Replaces each character that a reader does not see, except those that pictographs and scripts need. */
export function replaceInvisible(text: string, replacement: (hidden: string) => string): string {
  return text.replaceAll(INVISIBLE, (found: string, kept: string | undefined) => kept ?? replacement(found));
}

/** Writes characters as visible JSON escapes. */
export function jsonEscapes(characters: string): string {
  return characters
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
