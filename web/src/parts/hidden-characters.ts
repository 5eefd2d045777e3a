import { INVISIBLE } from '../../../src/core/text/invisible-characters.ts';
import { formatNumber } from '../text/text.ts';

/** Controls, line separators and the Braille pattern without dots are as invisible as what the server removes for agents. */
const HIDDEN = new RegExp(
  String.raw`${INVISIBLE.source}|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u2800]`,
  INVISIBLE.flags,
);

/** A piece of a text: what is written, or the number of a character that a reader does not see. */
export interface Piece {
  readonly text: string;
  readonly isHidden: boolean;
}

/** The pieces of a text. A character that is repeated is one piece: `U+202E × 70,000`. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  let run = { character: '', count: 0 };
  const endRun = (): void => {
    if (run.count > 0) pieces.push({ text: nameOf(run.character, run.count), isHidden: true });
    run = { character: '', count: 0 };
  };
  for (const { 0: character, 1: kept, index } of text.matchAll(HIDDEN)) {
    if (kept !== undefined) continue;
    if (index > end || character !== run.character) endRun();
    if (index > end) pieces.push({ text: text.slice(end, index), isHidden: false });
    run = { character, count: run.count + 1 };
    end = index + character.length;
  }
  endRun();
  if (end < text.length) pieces.push({ text: text.slice(end), isHidden: false });
  return pieces;
}

/** The text without what a reader does not see. */
export function withoutHidden(text: string): string {
  return text.replaceAll(HIDDEN, (_, kept: string | undefined) => kept ?? '');
}

function nameOf(character: string, count: number): string {
  const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  return count === 1 ? code : `${code} × ${formatNumber(count)}`;
}
