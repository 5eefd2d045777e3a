/** The rest of a longer message is a document, and not what the speaker says. In characters. */
const MAX_MESSAGE_LENGTH = 10_000;
/** The end of a sentence, unless the word before the full stop is an abbreviation or a number ("Dr. Okafor", "am 9. Juni"). */
const END_OF_SENTENCE =
  /(?<=[!?…。！？]["'”’»)]{0,2}|(?<!\b(?:dr|mr|mrs|ms|prof|st|nr|no|ca|bzw|vs|frl|hr|fr|e\.g|i\.e|z\.b|\d{1,2}))\.["'”’»)]{0,2})\s+(?=\S)/iu;

/** A sentence that the speaker wrote. */
export interface Sentence {
  /** In the speaker's own words. */
  readonly text: string;
  /** With plain apostrophes and quotation marks, for patterns. */
  readonly plain: string;
}

/** The sentences of a message, in its order, without code, links, tables and quoted lines. */
export function splitMessage(message: string): Sentence[] {
  return message
    .slice(0, MAX_MESSAGE_LENGTH)
    .replaceAll(/```[\s\S]*?(?:```|$)/g, '\n')
    .replaceAll(/`[^`\n]*`/g, ' … ')
    .replaceAll(/https?:\/\/\S+/g, ' ')
    .split('\n')
    .filter((line) => !/^\s*[>|]/.test(line))
    .flatMap((line) => line.split(END_OF_SENTENCE))
    .map((sentence) =>
      sentence
        .replace(/^\s*(?:[-*•]|\d{1,3}[.)])\s+/, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((text) => text !== '')
    .map((text) => ({ text, plain: text.replaceAll(/[’‘]/g, "'").replaceAll(/[“”„«»]/g, '"') }));
}
