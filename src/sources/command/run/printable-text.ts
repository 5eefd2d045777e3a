import { stripVTControlCharacters } from 'node:util';

/** Control characters and marks that change the direction of text, except line breaks and tabs. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The output of a command without colours and control characters, so that a terminal only shows it. */
export function printableText(text: string): string {
  return stripVTControlCharacters(text.replaceAll(/\r\n?/g, '\n')).replaceAll(CONTROL, '').toWellFormed();
}

/** The first `maxLength` characters in quotes, on one line. */
export function quotedExcerpt(text: string, maxLength: number): string {
  const line = printableText(text.slice(0, maxLength * 4))
    .replaceAll(/\s+/g, ' ')
    .trim();
  const isCut = line.length > maxLength || text.length > maxLength * 4;
  return `"${line.slice(0, maxLength).toWellFormed()}${isCut ? '…' : ''}"`;
}
