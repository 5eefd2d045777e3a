import type { ThreadTask } from '../../core/threads/task-thread.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import { assertParseable } from '../markdown/density.ts';
import { type DecodedText, decodeText } from '../files/decode-text.ts';
import type { NoteFormat } from '../files/read-file.ts';
import { canvasText } from '../files/canvas.ts';
import type { LogseqGraph } from '../logseq/graph.ts';
import { foldPageName, pageFileOf, pageOfLink } from '../logseq/page-names.ts';
import { readPageText, withSpaces, withWikilinks } from '../logseq/page-text.ts';
import type { Link } from '../markdown/scan-links.ts';
import { NOTE_LIMITS, parseNote, type Note } from './note.ts';

export interface NoteText extends DecodedText {
  readonly note: Note;
  /** Why a part of a canvas could not be read; `null` if all of it could. */
  readonly canvasProblem: string | null;
}

/** A page of a Logseq graph. */
export interface GraphPage {
  readonly key: string;
  readonly graph: LogseqGraph;
}

/** Decodes and parses a note. Returns `null` if the bytes are not text. @throws LociError `unreadable` */
export function readNoteText(
  bytes: Uint8Array,
  format: NoteFormat,
  page: GraphPage | null = null,
): NoteText | null {
  const decoded = decodeText(bytes);
  if (decoded === null) return null;
  if (format === 'text') return { ...decoded, note: PLAIN_NOTE, canvasProblem: null };
  const { text, problem } =
    format === 'canvas' ? canvasText(decoded.text) : { text: decoded.text, problem: null };
  assertParseable(text);
  if (page !== null && format === 'markdown')
    return { ...decoded, ...readGraphPage(text, page), canvasProblem: null };
  return { ...decoded, text, note: parseNote(text), canvasProblem: problem };
}

/** Reads a page of Logseq with its properties, its names and the pages that its links mean. */
function readGraphPage(text: string, { key, graph }: GraphPage): { text: string; note: Note } {
  const { content, properties, blockIds } = readPageText(text);
  const note = parseNote(withWikilinks(withSpaces(content)), properties);
  const file = pageFileOf(key, graph);
  const title = note.title ?? file.title;
  const blocks = blockIds.slice(0, NOTE_LIMITS.blockIds);
  const names = [title, file.title, ...file.names, ...note.aliases].map(foldPageName).filter(Boolean);
  const pageNames = [...new Set([...names, ...blocks.map((id) => `((${id}))`)])];
  const links = note.links.map((link): Link => {
    const plain = { ...link, target: link.target.replace(/^\[\[([^[\]]+)\]\]$/, '$1') };
    const meant = pageOfLink(plain, graph);
    return meant === null ? plain : { ...plain, page: meant };
  });
  return {
    text: content,
    note: { ...note, title, links, blockIds: [...note.blockIds, ...blocks], pageNames },
  };
}

/** Plain text has no syntax: `#` in it is no tag. */
const PLAIN_NOTE: Note = {
  ...{ title: null, identity: null, project: null, category: null, type: null, frontMatterProblem: null },
  ...{ tags: [], aliases: [], links: [], blockIds: [], dates: [], frontMatter: {} },
};

/** `readNoteText` as a task for a thread, because parsing a long note would block the caller. */
export const READ_NOTE_TEXT: ThreadTask<
  [bytes: Uint8Array, format: NoteFormat, page: GraphPage | null],
  NoteText | null
> = {
  module: workerModule(import.meta.url, 'note-text'),
  name: readNoteText.name,
  inline: readNoteText,
};
