/** Larger notes are skipped. */
export const MAX_NOTE_BYTES = 5_000_000;

/** The formats of files that are notes. */
export type NoteFormat = 'markdown' | 'text' | 'canvas';

/** By the ending of the name, in lower case. */
const FORMATS: Readonly<Record<string, NoteFormat>> = {
  md: 'markdown',
  markdown: 'markdown',
  txt: 'text',
  canvas: 'canvas',
};

/** The format of a file by its name; `null` if it is no note. */
export function noteFormat(key: string): NoteFormat | null {
  const ending = /\.([a-z]+)$/i.exec(key)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(FORMATS, ending) ? FORMATS[ending]! : null;
}
