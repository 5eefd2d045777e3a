/** Ends of lines, and of sentences: a full stop with closing marks before a space, or one of Chinese and Japanese. */
const BOUNDARY = /\n+|(?<=[.!?…]["')\]}”’»*_]{0,4})\s+|(?<=[。！？｡][」』）】》]{0,4})(?![」』）】》])/u;
/** The marks of headings, quotes, list items and tasks. */
const LINE_MARKS = /^(?:[\s#>*+-]|\d+[.)](?=\s)|\[.\](?=\s))+/u;
const WORD = /\p{L}{2}/u;

/** The sentences, headings and items of a Markdown text that have a word, in order and without the marks of their line. */
export function sentencesOf(text: string): string[] {
  return text
    .split(BOUNDARY)
    .map((sentence) => sentence.replace(LINE_MARKS, '').trim())
    .filter((sentence) => WORD.test(sentence));
}
