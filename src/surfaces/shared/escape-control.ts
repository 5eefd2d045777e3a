import { jsonEscapes, replaceInvisible } from '../../core/text/invisible-characters.ts';

/**
 * What a terminal would obey instead of show: control characters (with ESC and the C1 controls, which begin escape
 * sequences), the separators U+2028 and U+2029, the marks that turn the direction of writing, and the byte order mark.
 */
const OBEYED = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const CONTROL_PICTURES = 0x2400;
const PICTURE_OF_DELETE = '\u2421';
const HIDDEN = '\ufffd';
/** Texts of the web are full of them, and a terminal knows what they are. */
const SOFT_HYPHEN = '\u00ad';

/**
 * Text of others, fit for a terminal: a note must not move the cursor, set a title or the clipboard. Line breaks and
 * tabs stay, and what only a model would read is shown to be there. One UTF-16 unit becomes one, so offsets still hold.
 */
export function escapeControl(text: string): string {
  return replaceInvisible(text, (found) => (found === SOFT_HYPHEN ? found : HIDDEN.repeat(found.length)))
    .replaceAll(OBEYED, (found) => (found === '\n' || found === '\t' ? found : shown(found)))
    .toWellFormed();
}

/** The same on one line: line breaks and tabs are spaces. */
export function oneLine(text: string): string {
  return escapeControl(text).replaceAll(/[\n\t]/g, ' ');
}

/** Text of JSON in which nothing is left that a terminal obeys; it means the same. */
export function escapeControlJson(json: string): string {
  return replaceInvisible(json, jsonEscapes).replaceAll(OBEYED, (found) =>
    found === '\n' ? found : jsonEscapes(found),
  );
}

function shown(control: string): string {
  const code = control.charCodeAt(0);
  if (control === '\r') return ' ';
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
  return code === 0x7f ? PICTURE_OF_DELETE : HIDDEN;
}
