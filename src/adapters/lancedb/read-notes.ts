/** What runs in a thread: the notes of a folder are listed, read, and cut into passages. */

import { messageOf } from '../../core/errors.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import { shortHash } from '../../core/ids.ts';
import type { Metadata } from '../../core/types.ts';
import { propertiesOf } from '../../engine/records/results/properties.ts';
import { counterOf, type CutOptions } from '../../ingest/cut-record.ts';
import { embeddingText } from '../../ingest/embedding-text.ts';
import { makePassages, MAX_PASSAGE_TOKENS } from '../../ingest/passages.ts';
import { MAX_NOTE_BYTES } from '../../sources/files/note-format.ts';
import { readWithin } from '../../sources/files/read-file.ts';
import { assertParseable } from '../../sources/markdown/density.ts';
import { noteHead, noteText } from '../pools/note-head.ts';
import { listPoolFiles, revisionOf } from '../pools/pool-files.ts';
import type { LocatedPool } from '../pools/pool-set.ts';

export interface NoteListing {
  /** Path, size in bytes and revision of each note, with a NUL between them: one text is sent faster than many. */
  readonly packed: string;
  /** Paths that could not be read, with the reasons. */
  readonly unreadable: readonly (readonly [path: string, why: string])[];
}

export interface ReadNote {
  /** Of its pool. */
  readonly root: string;
  readonly path: string;
  /** Of the file that was read, which may be another one than was listed. */
  readonly revision: string;
  readonly title: string;
  /** JSON. */
  readonly frontMatter: string;
  readonly filters: string;
  readonly passages: readonly ReadPassage[];
  /** Why only its title is indexed, or nothing. */
  readonly problem: string | null;
}

export interface ReadPassage {
  /** Title, headings and text, which are embedded; then properties, which are only found by words. */
  readonly words: string;
  /** Where the text is in `words`. */
  readonly textStart: number;
  readonly textEnd: number;
  readonly startLine: number;
  readonly endLine: number;
  /** Of what is embedded. */
  readonly hash: string;
}

/** @param below paths within the pool, to which the listing is limited */
export async function listNotes(
  pool: Pick<LocatedPool, 'id' | 'root' | 'inner'>,
  below: readonly string[],
): Promise<NoteListing> {
  const parts: string[] = [];
  const unreadable: [string, string][] = [];
  const files = listPoolFiles(pool, (path, why) => void unreadable.push([path, why]), below);
  for await (const { key, bytes, revision } of files) parts.push(key, String(bytes), revision);
  return { packed: parts.join('\0'), unreadable };
}

/**
 * Reads notes. Those that are gone, or no files any more, are left out.
 * @param countingProvider whose model counts tokens
 */
export async function readNotes(
  files: readonly (readonly [root: string, path: string])[],
  countingProvider: CutOptions['provider'],
): Promise<ReadNote[]> {
  const countTokens = await counterOf(countingProvider);
  const notes: ReadNote[] = [];
  for (const [root, path] of files) {
    const read = await readText(root, path);
    if (read === null) continue;
    if ('problem' in read) notes.push({ root, path, ...NOTHING, problem: read.problem });
    else notes.push({ root, ...noteOf(path, read.text, countTokens), revision: read.revision });
  }
  return notes;
}

const NOTHING = { revision: '', title: '', frontMatter: '', filters: '', passages: [] } as const;

/** The text of a note; `null` if it is gone. */
async function readText(
  root: string,
  path: string,
): Promise<{ readonly text: string; readonly revision: string } | { readonly problem: string } | null> {
  try {
    // Since the listing, a link to another pool may have taken the place of a folder.
    const read = await readWithin(root, path, MAX_NOTE_BYTES, { exact: true });
    if (typeof read === 'string') return null;
    if ('tooLarge' in read) return { problem: `it has more than ${String(MAX_NOTE_BYTES)} bytes` };
    const text = noteText(path, read.bytes);
    return text === null ? { problem: 'it is no text' } : { text, revision: revisionOf(read.stats) };
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? null : { problem: describeFileError(error) };
  }
}

function noteOf(
  path: string,
  text: string,
  countTokens: (text: string) => number,
): Omit<ReadNote, 'root' | 'revision'> {
  const { title, frontMatter } = noteHead(path, text);
  const { content, problem } = parseable(text);
  const source = { origin: 'vault', project: '', title, tags: [], metadata: {}, content } as const;
  const passages = makePassages(source, { maxTokens: MAX_PASSAGE_TOKENS, countTokens });
  const properties = propertiesOf({ frontMatter }).join('\n');
  return {
    path,
    title,
    frontMatter: JSON.stringify(frontMatter),
    filters: filtersOf(frontMatter),
    passages: passages.map((passage) => {
      const embedded = embeddingText(source, passage);
      const { startLine, endLine, hash } = passage;
      return {
        words: passage.ordinal === 0 && properties !== '' ? `${embedded}\n${properties}` : embedded,
        textStart: embedded.length - passage.text.length,
        textEnd: embedded.length,
        ...{ startLine, endLine, hash },
      };
    }),
    problem,
  };
}

function parseable(text: string): { readonly content: string; readonly problem: string | null } {
  try {
    assertParseable(text);
    return { content: text, problem: null };
  } catch (error) {
    return { content: '', problem: messageOf(error) };
  }
}

/** Passages of a note with more values have `ANY_FILTER`, because each passage repeats them. */
const MAX_FILTERS = 100;
/** May have any value. */
export const ANY_FILTER = '*';

/** What a note must have for a value of a property. It has no characters of the value, which could mean something in a query. */
export function filterOf(property: string, value: string): string {
  return shortHash(JSON.stringify([property, value])).slice(0, 16);
}

function filtersOf(frontMatter: Metadata): string {
  const filters = Object.entries(frontMatter).flatMap(([property, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((each) => each !== null && typeof each !== 'object')
      .map((each) => filterOf(property, String(each))),
  );
  return filters.length > MAX_FILTERS ? ANY_FILTER : filters.join(' ');
}
