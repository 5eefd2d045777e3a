import type { ThreadTask } from '../../core/threads/task-thread.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import { assertParseable } from '../markdown/density.ts';
import { decodeText, type DecodedText } from '../files/decode.ts';
import { parseNote, type Note } from './note.ts';

export interface NoteText extends DecodedText {
  readonly note: Note;
}

/** Decodes and parses a note. Returns `null` if the bytes are not text. @throws LociError `unreadable` */
export function readNoteText(bytes: Uint8Array): NoteText | null {
  const decoded = decodeText(bytes);
  if (decoded === null) return null;
  assertParseable(decoded.text);
  return { ...decoded, note: parseNote(decoded.text) };
}

/** `readNoteText` as a task for a thread, because parsing a long note would block the caller. */
export const READ_NOTE_TEXT: ThreadTask<[bytes: Uint8Array], NoteText | null> = {
  module: workerModule(import.meta.url, 'note-text'),
  name: readNoteText.name,
  inline: readNoteText,
};
