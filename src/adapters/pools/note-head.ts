import path from 'node:path';
import type { Json, Metadata } from '../../core/types.ts';
import { canvasText } from '../../sources/files/canvas.ts';
import { decodeText } from '../../sources/files/decode.ts';
import { noteFormat } from '../../sources/files/note-format.ts';
import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';
import { parseFrontMatter } from '../../sources/markdown/front-matter.ts';
import type { MemoryResult } from '../contract.ts';
import type { Pool } from './pool-set.ts';

/** What a result says of a note besides its text. */
export interface NoteHead {
  /** `title` in the front matter, else the name of the file without its ending. */
  readonly title: string;
  readonly frontMatter: Metadata;
}

/** The text of a note that is searched: of a canvas, that of its cards. `null` if the bytes are no text, or no canvas. */
export function noteText(key: string, bytes: Uint8Array): string | null {
  const text = decodeText(bytes)?.text ?? null;
  if (text === null || noteFormat(key) !== 'canvas') return text;
  try {
    return canvasText(text).text;
  } catch {
    return null;
  }
}

/** @param key the path of the note below its pool */
export function noteHead(key: string, text: string): NoteHead {
  const span = noteFormat(key) === 'markdown' ? frontMatterSpan(text) : null;
  const frontMatter =
    span === null ? {} : parseFrontMatter(text.slice(span.yamlStart, span.yamlEnd), span).fields;
  const given = frontMatter['title'];
  const title = typeof given === 'string' && given.trim() !== '' ? given.trim() : path.parse(key).name;
  return { title, frontMatter };
}

/** The metadata of a result. Properties of the note cannot take the place of what Loci says. */
export function resultMetadata(
  { id, tier }: Pool,
  key: string,
  { title, frontMatter }: NoteHead,
): MemoryResult['metadata'] & object {
  return { ...frontMatter, pool: id, tier, path: key, title };
}

/** The `uri` of a note, or of lines of it, from 1. */
export function uriOf(
  file: string,
  lines?: { readonly startLine: number; readonly endLine: number },
): string {
  return lines === undefined ? file : `${file}#L${String(lines.startLine)}-L${String(lines.endLine)}`;
}

/** Values by property, as `PoolQuery` has them. */
export type Filters = Readonly<Record<string, readonly string[]>>;

/** Whether the front matter of a note has one of the values of each property. A list has each of its entries. */
export function matchesFilters(frontMatter: Metadata, filters: Filters): boolean {
  return Object.entries(filters).every(([property, wanted]) => {
    const value: Json | undefined = Object.hasOwn(frontMatter, property) ? frontMatter[property] : undefined;
    const values = Array.isArray(value) ? value : [value];
    return values.some((each) => isScalar(each) && wanted.includes(String(each)));
  });
}

function isScalar(value: Json | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
