import { constants, type BigIntStats } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DateOrder } from '../../config/sources-schema.ts';
import { LociError } from '../../core/errors.ts';
import { shortHash } from '../../core/ids.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import type { TaskRunner } from '../../core/threads/task-thread.ts';
import type { Json, Metadata, Timestamp, Trust } from '../../core/types.ts';
import { modifiedDate, noteDates, type NoteDates } from '../dates/note-dates.ts';
import {
  DATE_ORDERS,
  findDate,
  type FoundDate,
  type OrderOf,
  parseDate,
  shownOrder,
} from '../dates/written-date.ts';
import { Exclusions } from '../files/exclusions.ts';
import { decodeText } from '../files/decode-text.ts';
import {
  copySpan,
  MAX_NOTE_BYTES,
  noteFormat,
  readWithin,
  timeOfFile,
  type TimeSpan,
} from '../files/read-file.ts';
import { type LogseqGraph, readLogseqSettings } from '../logseq/graph.ts';
import { pageFileOf } from '../logseq/page-names.ts';
import { frontMatterSpan } from '../markdown/front-matter-span.ts';
import type {
  ExcludedFiles,
  Source,
  SourceDocument,
  SourceItem,
  SourceProblem,
  SourceProblemReason,
} from '../source.ts';
import { areVersions, namedCopyOf } from './conflict-copies.ts';
import { type NoteText, READ_NOTE_TEXT, readNoteText } from './note-text.ts';
import type { Note } from './note.ts';
import { type FoundFile, unreadableRoot, walkNotes, type WalkOptions } from './walk.ts';

export interface VaultOptions {
  readonly name: string;
  /** The folder of the vault. It may be a symlink. */
  readonly root: string;
  /** The project of notes that name none in their front matter and are in no folder of `projects`. */
  readonly project?: string;
  /** Projects by folder of the vault. A note gets the project of the deepest folder that contains it. */
  readonly projects?: Readonly<Record<string, string>>;
  /** The names of the only files and folders of the root that are read. By default all are. */
  readonly include?: readonly string[];
  /** A pattern, with `/`, of the only paths that are read: `runbooks/*.md`. By default all are. */
  readonly pattern?: string;
  /** The real paths of folders that are not read. With them, even with none, symbolic links are not followed. */
  readonly otherFolders?: readonly string[];
  /** Globs of what is not read, as in `.gitignore`. */
  readonly exclude?: readonly string[];
  /** Who is responsible for the notes. Default `operator`. */
  readonly trust?: Trust;
  /** Whether dates such as `03-05-2024` begin with the day or the month. By default other dates of the vault show it. */
  readonly dateOrder?: DateOrder;
  /** Parses long notes. By default the thread of the caller does. */
  readonly thread?: TaskRunner;
}

type Report = (problem: SourceProblem) => void;

/** A part of every revision. It is increased when the same bytes are parsed to a different note, so that all are read again. */
const PARSER_VERSION = 7;

/** Opens an Obsidian vault, or any folder of Markdown, plain text and canvases. Nothing is read before the first call. */
export function openVault(options: VaultOptions): Source {
  return new Vault(options);
}

class Vault implements Source {
  readonly name: string;
  readonly origin = 'vault';
  readonly trust: Trust;
  readonly #options: VaultOptions;
  /**
   * The real path of the root at the last listing. If a symlink replaces a folder of this path later, the files resolve to
   * paths outside it, and `read` refuses them.
   */
  #realRoot: string | null = null;
  #otherFiles = new Map<string, number>();
  /** The notes of the last listing, and the order that their dates show, once it is needed. */
  #keys: string[] = [];
  #listed: ReadonlySet<string> = new Set();
  #dateOrder: Promise<OrderOf> | null = null;
  /** When a program wrote most of the notes of the last listing. */
  #copied: TimeSpan | null = null;
  #exclusions: Exclusions | null = null;
  /** `null` for every vault that is no graph of Logseq; `undefined` before it is known. */
  #graph: LogseqGraph | null | undefined = undefined;

  constructor(options: VaultOptions) {
    this.name = options.name;
    this.trust = options.trust ?? 'operator';
    this.#options = options;
  }

  async *list(report: Report, signal?: AbortSignal): AsyncGenerator<SourceItem> {
    this.#realRoot = await realRootOf(this.#options);
    const otherFiles = new Map<string, number>();
    this.#otherFiles = otherFiles;
    [this.#keys, this.#dateOrder] = [[], null];
    const onOtherFile = (key: string): void => {
      const ending = path.posix.extname(key).toLowerCase();
      otherFiles.set(ending, (otherFiles.get(ending) ?? 0) + 1);
    };
    const unread: string[] = [];
    const reportWalk = (problem: SourceProblem): void => {
      if (problem.skipped && problem.reason !== 'outside_root') unread.push(problem.key);
      report(problem);
    };
    const exclusions = await this.#openExclusions(this.#realRoot, report);
    this.#exclusions = exclusions;
    const walk = { realRoot: this.#realRoot, exclusions, report: reportWalk, onOtherFile, signal };
    // Whether the time of a note is its own depends on those of the others.
    const found: FoundFile[] = [];
    for await (const file of this.#walk(walk)) found.push(file);
    this.#copied = copySpan(found.map(({ stats }) => timeOfFile(stats.mtimeMs)));
    this.#listed = new Set(found.map(({ key }) => key));
    for (const { key, stats } of found) {
      if (signal?.aborted === true) throw new LociError('aborted', 'reading the vault was stopped');
      this.#keys.push(key);
      if (stats.size > BigInt(MAX_NOTE_BYTES)) report(tooLarge(key, stats.size, MAX_NOTE_BYTES));
      else yield { key, revision: this.#revisionOf(key, stats), bytes: Number(stats.size) };
    }
    // A folder that could not be read may have files that the glob matches.
    if (unread.length === 0) exclusions.reportUnmatched();
  }

  /** Also reads whether the vault is a graph of Logseq. */
  async #openExclusions(realRoot: string, report: Report): Promise<Exclusions> {
    const settings = await readLogseqSettings(this.name, realRoot);
    this.#graph = settings?.graph ?? null;
    return new Exclusions(this.name, this.#options.exclude ?? [], report, settings?.hidden);
  }

  #walk(
    walk: Omit<WalkOptions, 'vault' | 'include' | 'pattern' | 'otherFolders'>,
  ): AsyncGenerator<FoundFile> {
    const { include, pattern, otherFolders } = this.#options;
    return walkNotes({ vault: this.name, include, pattern, otherFolders, ...walk });
  }

  async images(signal?: AbortSignal): Promise<readonly string[]> {
    const ignore = (): void => undefined;
    const realRoot = await realRootOf(this.#options);
    const walk = {
      realRoot,
      exclusions: await this.#openExclusions(realRoot, ignore),
      report: ignore,
      signal,
    };
    return imagesOf((onOtherFile) => this.#walk({ ...walk, onOtherFile }));
  }

  async readImage(key: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const exact = this.#options.otherFolders !== undefined;
    return readImage(await realRootOf(this.#options), key, maxBytes, { exact });
  }

  otherFiles(): ReadonlyMap<string, number> {
    return this.#otherFiles;
  }

  excluded(): readonly ExcludedFiles[] {
    return this.#exclusions?.excluded() ?? [];
  }

  async excludedOf(keys: readonly string[]): Promise<readonly string[]> {
    return (await this.#exclusions?.excludedOf(keys)) ?? [];
  }

  async read({ key }: SourceItem, report: Report, signal?: AbortSignal): Promise<SourceDocument | null> {
    this.#realRoot ??= await realRootOf(this.#options);
    if (this.#graph === undefined) await this.#openExclusions(this.#realRoot, report);
    try {
      const exact = this.#options.otherFolders !== undefined;
      const file = await readWithin(this.#realRoot, key, MAX_NOTE_BYTES, { exact });
      if (file === 'outside') report(skipped(key, 'outside_root', 'its path leads out of the vault'));
      else if (file === 'special') report(skipped(key, 'unreadable', 'it is not a file'));
      else if ('tooLarge' in file) report(tooLarge(key, file.tooLarge, MAX_NOTE_BYTES));
      else
        return await this.#toDocument(key, file.stats, await this.#readText(key, file.bytes, signal), report);
    } catch (error) {
      if (error instanceof LociError && error.code === 'aborted') throw error;
      report(skipped(key, 'unreadable', describeFileError(error)));
    }
    return null;
  }

  async #readText(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    signal: AbortSignal | undefined,
  ): Promise<NoteText | null> {
    const { thread } = this.#options;
    const format = noteFormat(key) ?? 'text';
    const page = this.#graph ? { key, graph: this.#graph } : null;
    if (thread === undefined) return readNoteText(bytes, format, page);
    return thread.run(READ_NOTE_TEXT, [bytes, format, page], {
      size: bytes.length,
      signal,
      transfer: [bytes.buffer],
    });
  }

  async #toDocument(
    key: string,
    stats: BigIntStats,
    noteText: NoteText | null,
    report: Report,
  ): Promise<SourceDocument | null> {
    if (noteText === null) {
      report(skipped(key, 'binary', 'it is not a text file'));
      return null;
    }
    const { text, invalidEncoding, legacyEncoding, note, canvasProblem } = noteText;
    const { project, projects } = this.#options;
    const fileName = path.posix.basename(key).replace(/\.[^.]*$/, '');
    const journalDay = this.#graph ? pageFileOf(key, this.#graph).day : null;
    const dates = await this.#datesOf(note, journalDay ?? dayOfFolders(key) ?? fileName);
    if (invalidEncoding !== null) {
      const detail = `some of its bytes are not ${invalidEncoding}; they were replaced by U+FFFD`;
      report({ key, reason: 'invalid_encoding', detail, skipped: false });
    }
    if (legacyEncoding !== null) {
      const detail = `it is not UTF-8, and was read as ${legacyEncoding}: save it as UTF-8 if that is wrong`;
      report({ key, reason: 'invalid_encoding', detail, skipped: false });
    }
    if (canvasProblem !== null)
      report({ key, reason: 'invalid_canvas', detail: canvasProblem, skipped: false });
    if (note.frontMatterProblem !== null)
      report({ key, reason: 'invalid_front_matter', detail: note.frontMatterProblem, skipped: false });
    reportDates(key, dates, report);
    const { copyOf, isSettled } = await this.#copyOf(key, text);
    if (copyOf !== null) {
      const detail = `it looks like a copy that a sync program left beside ${copyOf}, and searches show ${copyOf} first`;
      report({ key, reason: 'conflict_copy', detail, skipped: false });
    }
    const { createdAt, updatedAt } = this.#timesOf(stats, dates);
    return {
      key,
      revision: this.#revisionOf(key, stats),
      ...((dates.ambiguous.length > 0 || !isSettled) && { unsettled: true }),
      identity: note.identity,
      project: note.project ?? folderProject(key, projects) ?? project ?? null,
      category: note.category,
      recordType: note.type,
      title: note.title ?? fileName,
      tags: note.tags,
      content: text,
      metadata: {
        ...metadataOf(note, dates),
        ...(createdAt === null && { undated: true }),
        ...(copyOf !== null && { copyOf }),
      },
      createdAt: createdAt ?? updatedAt,
      updatedAt,
    };
  }

  /** Whether a note is a conflict copy of another one; not settled where the text of that note decides. */
  async #copyOf(key: string, text: string): Promise<{ copyOf: string | null; isSettled: boolean }> {
    const { original = null, needs = null } = namedCopyOf(key, this.#listed) ?? {};
    const isCopy = needs === null || areVersions(text, await readText(this.#realRoot!, original!), needs);
    return { copyOf: isCopy ? original : null, isSettled: needs === null };
  }

  async #datesOf(note: Note, fileName: string): Promise<NoteDates> {
    const { dateOrder = null } = this.#options;
    const dates = noteDates(note.dates, fileName, () => dateOrder);
    if (dates.ambiguous.length === 0) return dates;
    this.#dateOrder ??= vaultDateOrder(this.#realRoot!, this.#keys);
    return noteDates(note.dates, fileName, await this.#dateOrder);
  }

  /** When a note was made and changed. `createdAt` is `null` if only the program that wrote the file had a time. */
  #timesOf(
    { mtimeMs, birthtimeMs }: BigIntStats,
    { created, metadata }: NoteDates,
  ): { readonly createdAt: Timestamp | null; readonly updatedAt: Timestamp } {
    const [changed, made] = [timeOfFile(mtimeMs), timeOfFile(birthtimeMs)];
    if (this.#isCopied(changed)) {
      const said = modifiedDate(metadata)?.timestamp;
      return { createdAt: created?.timestamp ?? said ?? null, updatedAt: said ?? changed };
    }
    // A copied file may be created after its last modification, and some file systems record no creation.
    const isMade = birthtimeMs > 0n && made < changed && !this.#isCopied(made);
    return { createdAt: created?.timestamp ?? (isMade ? made : changed), updatedAt: changed };
  }

  #isCopied(time: Timestamp): boolean {
    return this.#copied !== null && time >= this.#copied.from && time <= this.#copied.until;
  }

  /** Includes the time of the last change of the inode, because tools can reset the modification time, but not that one. */
  #revisionOf(key: string, { size, mtimeMs, mtimeNs, ctimeNs }: BigIntStats): string {
    const { dateOrder } = this.#options;
    const graph = this.#graph ? ` logseq-${shortHash(JSON.stringify(this.#graph))}` : '';
    const parser = `${String(PARSER_VERSION)}${dateOrder === undefined ? '' : ` ${dateOrder}`}${graph}`;
    const copied = this.#isCopied(timeOfFile(mtimeMs)) ? '/copied' : '';
    // Whether there is a note that it is a copy of.
    const beside = namedCopyOf(key, this.#listed) === null ? '' : '/beside';
    return `${parser}/${String(size)}/${String(mtimeNs)}/${String(ctimeNs)}${copied}${beside}`;
  }
}

/** The day of a daily note whose folders are its year and month, `Journal/2024/05/03.md`, or the month of `2024/05.md`. */
function dayOfFolders(key: string): string | null {
  const [, date] = /(?:^|\/)(\d{4}\/\d{2}(?:\/\d{2})?)\.[^./]+$/.exec(key) ?? [];
  return date?.replaceAll('/', '-') ?? null;
}

function folderProject(key: string, projects: VaultOptions['projects']): string | undefined {
  let deepest = '';
  let project: string | undefined;
  for (const [folder, name] of Object.entries(projects ?? {})) {
    const prefix = `${path.posix.normalize(folder.normalize('NFC')).replace(/^\.?\/+|\/+$/g, '')}/`;
    if (!key.startsWith(prefix) || prefix.length <= deepest.length) continue;
    deepest = prefix;
    project = name;
  }
  return project;
}

/** Names the dates that are not read. */
function reportDates(key: string, { ambiguous, unreadable }: NoteDates, report: Report): void {
  if (ambiguous.length > 0) {
    const detail =
      `a date is not read, since it may begin with the day or with the month: ${ambiguous.join(', ')}; set ` +
      '`dateOrder` of the vault in loci.yaml';
    report({ key, reason: 'ambiguous_date', detail, skipped: false });
  }
  if (unreadable.length > 0) {
    const detail = `a date is not read, since it is not the date of a day: ${unreadable.join(', ')}`;
    report({ key, reason: 'unreadable_date', detail, skipped: false });
  }
}

function metadataOf(note: Note, { metadata }: NoteDates): Metadata {
  return {
    aliases: [...note.aliases],
    links: note.links.map((link): Json => ({ ...link })),
    blockIds: [...note.blockIds],
    frontMatter: note.frontMatter,
    ...(note.pageNames !== undefined && { pageNames: [...note.pageNames] }),
    ...metadata,
  };
}

async function realRootOf({ name, root }: VaultOptions): Promise<string> {
  try {
    const real = await realpath(root);
    if ((await stat(real)).isDirectory()) {
      await access(real, constants.R_OK | constants.X_OK);
      return real;
    }
  } catch (error) {
    throw unreadableRoot(name, root, error);
  }
  throw unreadableRoot(name, root, new Error('it is not a folder'));
}

function skipped(key: string, reason: SourceProblemReason, detail: string): SourceProblem {
  return { key, reason, detail, skipped: true };
}

function tooLarge(key: string, size: bigint, limit: number): SourceProblem {
  return skipped(key, 'too_large', `it is ${megabytes(Number(size))}; the limit is ${megabytes(limit)}`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Longer notes say nothing about the order. In bytes. */
const MAX_BYTES = 100_000;
const FILES_AT_ONCE = 16;
/** A property or an inline field with a date of three numbers, the year last: `date: 19.05.2024`. */
const NUMERIC_FIELD = /^[^:\n]{1,60}::?[ \t]*(.{0,60}\d{1,2}[-/._]\s?\d{1,2}[-/._]\s?\d{4}.{0,60})$/gmu;

/**
 * The order of day and month in the dates of a vault. The dates that have one meaning, such as `19.05.2024`, decide: those with
 * the same separator, or else those with others. Reads all notes, so that the answer depends on nothing else.
 */
async function vaultDateOrder(realRoot: string, keys: readonly string[]): Promise<OrderOf> {
  const counts = new Map<string, Record<DateOrder, number>>();
  const total = { 'day-first': 0, 'month-first': 0 };
  const add = (date: FoundDate | null): void => {
    const order = date === null ? null : shownOrder(date);
    if (date === null || order === null) return;
    const ofSeparator = counts.get(date.separator!) ?? { 'day-first': 0, 'month-first': 0 };
    counts.set(date.separator!, ofSeparator);
    ofSeparator[order]++;
    total[order]++;
  };
  for (let start = 0; start < keys.length; start += FILES_AT_ONCE)
    await Promise.all(
      keys.slice(start, start + FILES_AT_ONCE).map(async (key) => {
        add(findDate(key.slice(key.lastIndexOf('/') + 1)));
        if (noteFormat(key) !== 'markdown') return;
        for (const value of numericFields(await readText(realRoot, key))) add(parseDate(value)?.date ?? null);
      }),
    );
  return (separator) => majority(counts.get(separator) ?? total) ?? majority(total);
}

function majority(counts: Readonly<Record<DateOrder, number>>): DateOrder | null {
  return DATE_ORDERS.find((order) => 2 * counts[order] > counts['day-first'] + counts['month-first']) ?? null;
}

/** The text of a note; empty if it cannot be read, which is reported when the note itself is read. */
async function readText(realRoot: string, key: string): Promise<string> {
  const file = await readWithin(realRoot, key, MAX_BYTES).catch(() => null);
  return file === null || typeof file === 'string' || 'tooLarge' in file
    ? ''
    : (decodeText(file.bytes)?.text ?? '');
}

function numericFields(text: string): string[] {
  const bodyStart = frontMatterSpan(text)?.bodyStart ?? 0;
  return Array.from(text.matchAll(NUMERIC_FIELD), ({ 0: line, 1: value, index }) =>
    index < bodyStart || line.includes('::') ? value!.replaceAll(/["'*_]/g, '').replace(/^[:\s]+/, '') : '',
  ).map((value) => value.trim());
}

const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;

/** The images among the files that a walk passes by. */
async function imagesOf(walk: (onOtherFile: (key: string) => void) => AsyncGenerator): Promise<string[]> {
  const images: string[] = [];
  const files = walk((key) => {
    if (IMAGE_NAME.test(key)) images.push(key);
  });
  while ((await files.next()).done !== true);
  return images;
}

/** @throws LociError `too_large`, `unreadable` */
async function readImage(
  realRoot: string,
  key: string,
  maxBytes: number,
  options: { readonly exact: boolean },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const file = await readWithin(realRoot, key, maxBytes, options).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return 'special';
    throw new LociError('unreadable', `${key} cannot be read: ${describeFileError(error)}`, { cause: error });
  });
  if (typeof file === 'string') return null;
  if ('bytes' in file) return file.bytes;
  throw new LociError(
    'too_large',
    `${key} has ${String(file.tooLarge)} bytes; the limit is ${String(maxBytes)}`,
    {
      hint: 'Make the image smaller, or open it in the folder of the vault.',
    },
  );
}
