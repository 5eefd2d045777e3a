import { stripVTControlCharacters } from 'node:util';

/** What a terminal would obey instead of show, line breaks and tabs apart: controls, and marks that turn the direction of writing. */
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** What a command printed, fit to be shown: without colours and control characters. */
export function shownText(text: string): string {
  return stripVTControlCharacters(text.replaceAll(/\r\n?/g, '\n')).replaceAll(OBEYED, '').toWellFormed();
}

/** Its beginning in quotes, on one line. */
export function shownLine(text: string, most: number): string {
  const line = shownText(text.slice(0, most * 4))
    .replaceAll(/\s+/g, ' ')
    .trim();
  const cut = line.length > most || text.length > most * 4;
  return `"${line.slice(0, most).toWellFormed()}${cut ? '…' : ''}"`;
}
