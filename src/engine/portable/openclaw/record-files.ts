import { LociError } from '../../../core/errors.ts';
import { sha256, uuidv7 } from '../../../core/ids.ts';
import { assertNotAborted } from '../../../core/progress.ts';
import type { LociRecord, Metadata } from '../../../core/types.ts';
import { dateInName } from '../../../sources/dates/note-dates.ts';
import { lowerTrust } from '../../access/permission.ts';
import type { EngineContext } from '../../context.ts';
import { chunkingOf } from '../../embedding/models.ts';
import { isRefusal, type ExportedRecord, type ImportJob } from '../items/item-type.ts';
import { RecordImporter, type PlannedWrite } from '../items/record-importer.ts';
import { record as recordType } from '../items/record.ts';
import { splitIntoFragments, type Fragment, type ListSplitting } from './fragments.ts';
import { assertImportablePath, baseKeyOf, KeyAllocator } from './keys.ts';
import { contentHash, importMetadataOf, matchFragments, type Pairing } from './matching.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

/** By the name in lower case: on Linux, OpenClaw reads memory.md where there is no MEMORY.md. */
const CATEGORY_BY_FILE: Readonly<Record<string, string>> = { 'memory.md': 'memory', 'user.md': 'user' };
const DAILY_CATEGORY = 'daily';
/** The items of MEMORY.md are separate memories; USER.md describes one person. */
const SPLITTING_BY_FILE: Readonly<Record<string, ListSplitting>> = { 'memory.md': 'all', 'user.md': 'none' };

const BATCH_SIZE = 100;
const MAX_TITLE_LENGTH = 300;
const MAX_FRAGMENTS_PER_FILE = 10_000;

/** Whether the file, other than those below `memory/`, becomes records. */
export function isRecordFile(path: string): boolean {
  return Object.hasOwn(CATEGORY_BY_FILE, path.toLowerCase());
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Writes the files of a workspace as records, and updates the records of an earlier import. */
export class RecordFileImporter {
  readonly #context: EngineContext;
  readonly #report: ImportJob['report'];
  readonly #options: ImportJob['options'];
  readonly #writer: RecordImporter;
  readonly #source: string;

  constructor(job: ImportJob, source: string) {
    this.#context = job.context;
    this.#report = job.report;
    this.#options = job.options;
    this.#writer = new RecordImporter(job);
    this.#source = source;
  }

  /** Files that were imported earlier and no longer exist. */
  async removedFiles(existing: readonly string[]): Promise<string[]> {
    const imported = new Set<string>();
    for await (const { key } of this.#records('', false)) imported.add(key?.split('#')[0] ?? '');
    return [...imported].filter((path) => !existing.includes(path)).sort();
  }

  /** @param files `null` for a file that no longer exists, whose records are deleted */
  async importFile(path: string, files: WorkspaceFiles | null): Promise<void> {
    try {
      if (files !== null) await assertImportablePath(this.#context, path);
      const text = files === null ? '' : await files.read(path);
      const fragments = splitIntoFragments(text, SPLITTING_BY_FILE[path.toLowerCase()] ?? 'without-heading');
      if (fragments.length > MAX_FRAGMENTS_PER_FILE)
        throw new LociError(
          'invalid_input',
          `it has ${String(fragments.length)} sections and list items; the limit is ${String(MAX_FRAGMENTS_PER_FILE)}`,
        );
      const accepted = await this.#screen(path, fragments);
      const records: LociRecord[] = [];
      for (const deleted of [false, true])
        for await (const record of this.#records(`${path}#`, deleted)) records.push(record);
      const createdAt = await this.#creationTime(path, files);
      const keys = new KeyAllocator(records);
      const planned: PlannedWrite[] = [];
      for (const match of matchFragments(accepted, records)) {
        // The record may be the earlier state of a fragment that was refused, so it is not deleted.
        if (match.fragment === null && accepted.length < fragments.length) continue;
        const plan = await this.#plan(path, match, keys, createdAt);
        if (plan !== null) planned.push(plan);
      }
      for (let start = 0; start < planned.length; start += BATCH_SIZE)
        await this.#writer.write(planned.slice(start, start + BATCH_SIZE));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#report.addRefused('record', path, error);
    }
  }

  async *#records(keyPrefix: string, deleted: boolean): AsyncGenerator<LociRecord> {
    const { store, namespace, now } = this.#context;
    const filter = { now: now(), origins: ['memory' as const], sources: [this.#source], keyPrefix, deleted };
    for (let after: number | null = null; ;) {
      const page = await store.records.list(namespace, { filter }, { after, limit: BATCH_SIZE });
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  /** The fragments that may be stored, with secrets masked. */
  async #screen(path: string, fragments: readonly Fragment[]): Promise<Fragment[]> {
    const accepted: Fragment[] = [];
    for (const fragment of fragments) {
      assertNotAborted(this.#options);
      try {
        const record = this.#recordOf(path, fragment, '', 0);
        const { value, masked } = await recordType.screen(this.#context, record);
        this.#report.addMasked(path, masked);
        const { heading = '' } = value.metadata as { readonly heading?: string };
        accepted.push({ ...fragment, heading, content: value.content });
      } catch (error) {
        if (!(error instanceof LociError)) throw error;
        // The report must not name the heading when that may be the secret.
        const isNamed = fragment.heading !== '' && error.code !== 'secret_refused';
        const location = isNamed ? `${path} › ${fragment.heading}` : path;
        this.#report.addRefused('record', location, error);
      }
    }
    return accepted;
  }

  async #creationTime(path: string, files: WorkspaceFiles | null): Promise<number> {
    const changedAt = files === null ? null : await files.changedAt(path);
    const date = dateInName(fileName(path), () => null);
    return (date === 'ambiguous' ? null : date?.timestamp) ?? changedAt ?? this.#context.now();
  }

  /** `null` when there is nothing to write. */
  async #plan(
    path: string,
    { fragment, record: existing }: Pairing,
    keys: KeyAllocator,
    createdAt: number,
  ): Promise<PlannedWrite | null> {
    if (fragment === null) return existing === null ? null : this.#planRemoval(existing);
    if (existing === null) {
      const key = keys.allocate(baseKeyOf(path, fragment));
      return this.#planWrite(key, this.#recordOf(path, fragment, key, createdAt), null);
    }
    const imported = importMetadataOf(existing);
    const isUnchanged = imported.hash === contentHash(fragment);
    const isDeleted = existing.deletedAt !== null;
    // A record that the user deleted stays deleted.
    const isDeletedByUser = isDeleted && !imported.removed;
    if (isDeletedByUser || (isUnchanged && imported.heading === fragment.heading && !isDeleted)) {
      this.#report.counts.record.unchanged++;
      return null;
    }
    if (!isDeleted && !isUnchanged && this.#isKept(existing)) return null;
    const { namespace: _, ...rest } = existing;
    const next = this.#recordOf(path, fragment, existing.key ?? '', existing.createdAt);
    const text = isUnchanged ? existing : next;
    const record: ExportedRecord = {
      ...rest,
      content: text.content,
      contentHash: text.contentHash,
      title: next.title,
      trust: lowerTrust(existing.trust, next.trust),
      // Fields that were added in the store are kept.
      metadata: { ...omit(existing.metadata, 'removed', 'heading'), ...next.metadata },
      deletedAt: null,
      updatedAt: Math.max(this.#context.now(), existing.updatedAt + 1),
    };
    return this.#planWrite(existing.key ?? path, record, existing);
  }

  async #planWrite(
    location: string,
    record: ExportedRecord,
    existing: LociRecord | null,
  ): Promise<PlannedWrite> {
    const chunking = await chunkingOf(this.#context);
    return { location, record, existing, exportedId: null, passages: await chunking.cut(record) };
  }

  /** Whether the record was changed in the store since its import. Such a record is kept unchanged and reported. */
  #isKept(record: LociRecord): boolean {
    const isUnchangedHere = contentHash(record) === importMetadataOf(record).hash;
    if (isUnchangedHere || this.#options.overwrite) return false;
    this.#report.counts.record.kept++;
    const message = `record/${String(record.id)} was changed here, and so was the file`;
    this.#report.addConflict(record.key ?? '', message);
    return true;
  }

  #planRemoval(existing: LociRecord): PlannedWrite | null {
    if (this.#isKept(existing)) return null;
    const { namespace: _, ...rest } = existing;
    const deletedAt = this.#context.now();
    const metadata = { ...existing.metadata, removed: true };
    const updatedAt = Math.max(deletedAt, existing.updatedAt + 1);
    const record = { ...rest, metadata, deletedAt, updatedAt };
    return { location: existing.key ?? '', record, existing, exportedId: null, passages: [] };
  }

  #recordOf(path: string, fragment: Fragment, key: string, createdAt: number): ExportedRecord {
    const { config, caller } = this.#context;
    const now = this.#context.now();
    const { heading, content } = fragment;
    const name = fileName(path).replace(/\.[a-z]+$/i, '');
    const isDaily = /^memory\//i.test(path);
    const title = isDaily && heading !== '' ? `${name} › ${heading}` : heading === '' ? name : heading;
    const metadata: Metadata = {
      file: path,
      ...(heading !== '' && { heading }),
      imported: contentHash(fragment),
    };
    return {
      id: 0,
      uuid: uuidv7(now),
      project: config.project,
      origin: 'memory',
      source: this.#source,
      // Agents write these files.
      trust: lowerTrust('agent', caller.trust),
      key: key === '' ? null : key,
      identity: null,
      category: CATEGORY_BY_FILE[path.toLowerCase()] ?? DAILY_CATEGORY,
      recordType: fragment.kind === 'section' ? 'note' : 'fact',
      title: title.slice(0, MAX_TITLE_LENGTH),
      tags: [],
      content,
      metadata,
      createdAt,
      updatedAt: now,
      deletedAt: null,
      expiresAt: null,
      contentHash: sha256(content),
      revision: null,
    };
  }
}

function omit(metadata: Metadata, ...names: readonly string[]): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !names.includes(name)));
}
