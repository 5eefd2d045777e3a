/** What runs in a thread: the notes of a folder are listed, read, and cut into passages. */

import { messageOf } from '../../core/errors.ts';
import { propertiesOf } from '../../engine/records/results/properties.ts';
import { counterOf, type CutOptions } from '../../ingest/cut-record.ts';
import { embeddingText, makePassages, MAX_PASSAGE_TOKENS } from '../../ingest/passages.ts';
import { assertParseable } from '../../sources/markdown/density.ts';
import { listPoolFiles, noteHead, type PoolFile, readOrReport, type Unread } from '../pools/pool-files.ts';
import type { LocatedPool } from '../pools/pool-set.ts';

export interface NoteListing {
  readonly files: readonly PoolFile[];
  readonly unread: Unread;
}

export interface ReadNote {
  readonly path: string;
  /** Of the file that was read, which may be another one than was listed. */
  readonly revision: string;
  readonly title: string;
  /** JSON. */
  readonly frontMatter: string;
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

export async function listNotes(pool: Pick<LocatedPool, 'id' | 'root' | 'inner'>): Promise<NoteListing> {
  const files: PoolFile[] = [];
  const unread: Unread = new Map();
  for await (const file of listPoolFiles(pool, (path, why) => void unread.set(path, why))) files.push(file);
  return { files, unread };
}

/**
 * Reads notes. Those that are gone, or no files any more, are left out.
 * @param countingProvider whose model counts tokens
 */
export async function readNotes(
  root: string,
  paths: readonly string[],
  countingProvider: CutOptions['provider'],
): Promise<ReadNote[]> {
  const countTokens = await counterOf(countingProvider);
  const notes: ReadNote[] = [];
  for (const path of paths) {
    const report = (problem: string): void => void notes.push({ path, ...NOTHING, problem });
    const read = readOrReport(root, path, report);
    if (read !== null) notes.push({ ...noteOf(path, read.text, countTokens), revision: read.revision });
  }
  return notes;
}

const NOTHING = { revision: '', title: '', frontMatter: '', passages: [] } as const;

function noteOf(
  path: string,
  text: string,
  countTokens: (text: string) => number,
): Omit<ReadNote, 'revision'> {
  const { title, frontMatter } = noteHead(path, text);
  const { content, problem } = parseable(text);
  const source = { origin: 'vault', project: '', title, tags: [], metadata: {}, content } as const;
  const passages = makePassages(source, { maxTokens: MAX_PASSAGE_TOKENS, countTokens });
  const properties = propertiesOf({ frontMatter }).join('\n');
  return {
    path,
    title,
    frontMatter: JSON.stringify(frontMatter),
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
