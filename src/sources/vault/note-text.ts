import type { ThreadTask } from '../../core/threads/task-thread.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import { assertParseable } from '../markdown/density.ts';
import { type DecodedText, decodeText } from '../files/decode-text.ts';
import type { NoteFormat } from '../files/read-file.ts';
import { canvasText } from '../files/canvas.ts';
import { parseNote, type Note } from './note.ts';

export interface NoteText extends DecodedText {
  readonly note: Note;
  /** Why a part of a canvas could not be read; `null` if all of it could. */
  readonly canvasProblem: string | null;
}

/** Decodes and parses a note. Returns `null` if the bytes are not text. @throws LociError `unreadable` */
export function readNoteText(bytes: Uint8Array, format: NoteFormat): NoteText | null {
  const decoded = decodeText(bytes);
  if (decoded === null) return null;
  if (format === 'text') return { ...decoded, note: PLAIN_NOTE, canvasProblem: null };
  const { text, problem } =
    format === 'canvas' ? canvasText(decoded.text) : { text: decoded.text, problem: null };
  assertParseable(text);
  return { ...decoded, text, note: parseNote(text), canvasProblem: problem };
}

/** Plain text has no syntax: `#` in it is no tag. */
const PLAIN_NOTE: Note = {
  ...{ title: null, identity: null, project: null, category: null, type: null, frontMatterProblem: null },
  ...{ tags: [], aliases: [], links: [], blockIds: [], dates: [], frontMatter: {} },
};

/** `readNoteText` as a task for a thread, because parsing a long note would block the caller. */
export const READ_NOTE_TEXT: ThreadTask<[bytes: Uint8Array, format: NoteFormat], NoteText | null> = {
  module: workerModule(import.meta.url, 'note-text'),
  name: readNoteText.name,
  inline: readNoteText,
};
