import { jsonEscapes, removeInvisible, replaceInvisible } from '../../core/text/invisible-characters.ts';

/**
 * Characters that a terminal interprets instead of showing: control characters (including ESC and the C1 controls, which
 * begin escape sequences), the separators U+2028 and U+2029, bidirectional formatting marks, and the byte order mark.
 */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
/** The C0 and C1 controls without line break and tab. */
const TERMINAL_CONTROL = /[[\p{Cc}]--[\n\t]]/gv;
/** The first character of the Unicode block Control Pictures. */
const CONTROL_PICTURES = 0x2400;
const PICTURE_OF_DELETE = '\u2421';
const REPLACEMENT = '\ufffd';
/** Not replaced, because soft hyphens are frequent in web texts and harmless in terminals. */
const SOFT_HYPHEN = '\u00ad';

/**
 * Makes untrusted text safe to print: a note must not move the cursor or set the title or the clipboard. Line breaks and
 * tabs remain; invisible characters become visible. Each UTF-16 unit is replaced by one unit, so offsets stay valid.
 */
export function escapeControl(text: string): string {
  return replaceInvisible(text, (found) => (found === SOFT_HYPHEN ? found : REPLACEMENT.repeat(found.length)))
    .replaceAll(CONTROL, (found) => (found === '\n' || found === '\t' ? found : visibleForm(found)))
    .toWellFormed();
}

/**
 * Removes the characters that begin or are commands for a terminal, for texts that another program may print. Line breaks and
 * tabs remain. Unlike `escapeControl`, it keeps the marks that right-to-left text needs.
 */
function removeTerminalControl(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(TERMINAL_CONTROL, (found) => (found === '\r' ? '\n' : ''));
}

/** A recalled text as every model gets it: without the characters that a person does not see. */
export function withoutHidden(text: string): string {
  return removeTerminalControl(removeInvisible(text)).toWellFormed();
}

/** Like `escapeControl`, with line breaks and tabs replaced by spaces. */
export function oneLine(text: string): string {
  return escapeControl(text).replaceAll(/[\n\t]/g, ' ');
}

/** Replaces control and invisible characters in JSON text by JSON escapes, so that the text keeps its meaning. */
export function escapeControlJson(json: string): string {
  return replaceInvisible(json, jsonEscapes).replaceAll(CONTROL, (found) =>
    found === '\n' ? found : jsonEscapes(found),
  );
}

/** A value as indented JSON that is safe to print. */
export function toJson(value: unknown): string {
  return escapeControlJson(JSON.stringify(value, null, 2));
}

function visibleForm(control: string): string {
  const code = control.charCodeAt(0);
  if (control === '\r') return ' ';
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
  return code === 0x7f ? PICTURE_OF_DELETE : REPLACEMENT;
}
