/** Letters that joiners change the shape of, and the marks on them; what is invisible among them is none. */
const JOINED = String.raw`[[\p{L}\p{M}]--[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{DI}]]`;
const RIGHT_TO_LEFT = String.raw`[[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}]--\p{DI}]`;
const MARK = String.raw`[\u061c\u200e\u200f]`;

/**
 * What is not seen, but belongs to what is. Of tags, the three flags of regions that there are (Unicode's
 * emoji-sequences, RGI_Emoji_Tag_Sequence); a selector of text or picture behind what has both; variants of Han; joiners
 * that stand alone behind a letter that they change, or between pictures; a mark of direction beside what runs to the left.
 * Each begins with what it takes, and looks back from behind it: so the search stays quick.
 */
const BELONGING = [
  String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
  String.raw`[\ufe0e\ufe0f](?<=\p{ExtPict}.)`,
  String.raw`[\ufe0e\ufe0f](?<=[0-9#*].)(?=\u20e3)`,
  String.raw`[\u{e0100}-\u{e01ef}](?<=\p{sc=Hani}.)`,
  String.raw`[\u200c\u200d](?<=${JOINED}.)(?!\p{DI})`,
  String.raw`\u200d(?<=\p{ExtPict}[\ufe0f\u{1f3fb}-\u{1f3ff}]?.)(?=\p{ExtPict})`,
  String.raw`${MARK}(?<=${RIGHT_TO_LEFT}.)(?!\p{DI})`,
  String.raw`${MARK}(?=${RIGHT_TO_LEFT})(?<!\p{DI}.)`,
];

/**
 * Characters that no reader sees and a model reads all the same, or that make a text look other than it reads: what
 * Unicode says may be ignored (Default_Ignorable_Code_Point: tags, selectors, fillers, spaces and joiners without a
 * width, overrulings of direction), and marks of annotations.
 */
const HIDDEN = new RegExp(String.raw`(${BELONGING.join('|')})|[\p{DI}\ufff9-\ufffb]`, 'gsv');
const MARKS = new RegExp(MARK, 'g');

/** A text in which nothing is hidden from its reader; what pictures and scripts are written with stays. */
export function withoutInvisible(text: string): string {
  return replaceInvisible(text, () => '');
}

/** The same for a name or a label, where no direction needs a mark. */
export function withoutInvisibleOrMarks(text: string): string {
  return withoutInvisible(text).replaceAll(MARKS, '');
}

/** With something in the place of each character that only a model reads. */
export function replaceInvisible(text: string, shown: (hidden: string) => string): string {
  return text.replaceAll(HIDDEN, (found: string, belonging: string | undefined) => belonging ?? shown(found));
}

/** As escapes of JSON: they mean the same, and are seen. */
export function jsonEscapes(characters: string): string {
  return characters
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
