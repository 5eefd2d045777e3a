import { fold } from '../../core/text/analyze.ts';
import { isStopWord } from '../../core/text/stop-words.ts';
import { MIN_FILE_NAME_LENGTH } from '../../store/lexical/text-fields.ts';
import type { RecordHeader } from '../../store/search-model.ts';
import { wordingOf, type Wording } from './wordings.ts';

/** The endings of notes. */
const NOTE_FILE = /\.(?:md|markdown|txt|canvas)$/;
const ENDING = /\.[a-z][a-z0-9]{0,9}$/;
/** `./notes/a.md`, `~/notes/a.md`, `/home/ada/notes/a.md`. */
const ROOT = /^(?:\.{1,2}|~)?\/+/;

/**
 * The folded path that a word of a query may name a note by; `null` for another word.
 * @param isAlone whether the query has no other words: `Plugins/List of commands` is no path without the ending of a note
 */
export function notePathOf(word: string, isAlone: boolean): string | null {
  const path = fold(word).replaceAll('\\', '/').replace(ROOT, '');
  if (!NOTE_FILE.test(path) && !(isAlone && path.includes('/'))) return null;
  const name = nameOf(path);
  return name.length < MIN_FILE_NAME_LENGTH || isStopWord(name) ? null : path;
}

/** The words of the file name, which are indexed with the title or the text of the note. */
export function fileNameWording(path: string): Wording {
  return wordingOf(nameOf(path));
}

/** Whether the path of a note is this one, or ends with it, or the other way round for an absolute path. */
export function namesFile(path: string, { origin, key }: RecordHeader): boolean {
  if (origin !== 'vault' || key === null) return false;
  const file = fold(key);
  return [file, file.replace(ENDING, '')].some(
    (own) => own === path || own.endsWith(`/${path}`) || path.endsWith(`/${own}`),
  );
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(NOTE_FILE, '');
}
