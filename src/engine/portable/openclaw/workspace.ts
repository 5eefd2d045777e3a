import { LociError } from '../../../core/errors.ts';
import { sha256, shortHash, uuidv7 } from '../../../core/ids.ts';
import { assertNotAborted } from '../../../core/progress.ts';
import type { LociRecord } from '../../../core/types.ts';
import { dateInName } from '../../../sources/dates/note-dates.ts';
import type { StartupEntry } from '../../../store/admin-model.ts';
import { startupEntries, sourceStateChange, sourceStates } from '../../../store/items/kinds.ts';
import { lowerTrust } from '../../access/permission.ts';
import type { EngineContext } from '../../context.ts';
import { chunkingOf } from '../../embedding/models.ts';
import { assertWithinLimits } from '../../fields/limits.ts';
import { screenTexts } from '../../records/screen.ts';
import { startupSubject } from '../../startup/startup.ts';
import { ItemImport } from '../items/import-items.ts';
import { isRefusal, type ExportedRecord, type ImportJob } from '../items/item-type.ts';
import { startup, record as recordType } from '../items/items.ts';
import { RecordImporter, type PlannedWrite } from '../items/record-importer.ts';
import { splitIntoFragments, type Fragment, type ListSplitting } from './fragments.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

/** The startup entry that each of these files becomes. */
const STARTUP_FILES: Readonly<Record<string, Pick<StartupEntry, 'key' | 'priority' | 'reinforce'>>> = {
  'SOUL.md': { key: 'soul', priority: 0, reinforce: true },
  'IDENTITY.md': { key: 'identity', priority: 1, reinforce: false },
  'AGENTS.md': { key: 'agents', priority: 2, reinforce: false },
  'TOOLS.md': { key: 'tools', priority: 3, reinforce: false },
};

/**
 * The files, beside those below `memory/`, that become records, by their names in lower case: on Linux, OpenClaw reads memory.md where
 * there is no MEMORY.md. The items of MEMORY.md are separate memories; USER.md describes one person.
 */
const RECORD_FILES: Readonly<Record<string, { readonly category: string; readonly lists: ListSplitting }>> = {
  'memory.md': { category: 'memory', lists: 'all' },
  'user.md': { category: 'user', lists: 'none' },
};
const DAILY_FILES = { category: 'daily', lists: 'without-heading' } as const;

const TEXT_FILE = /\.(?:md|markdown|txt)$/i;
const BATCH_SIZE = 100;
const MAX_TITLE_LENGTH = 300;
const MAX_HEADING_LENGTH = 150;
/** Leaves room in a key for a heading and a number. */
const MAX_PATH_LENGTH = 300;
const MAX_FRAGMENTS_PER_FILE = 10_000;

/** The name in `STARTUP_FILES` of the file that a path is, in whatever case. */
function startupFile(path: string): string | undefined {
  return Object.keys(STARTUP_FILES).find((name) => name.toLowerCase() === path.toLowerCase());
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether the import reads this file or folder of an OpenClaw workspace. */
export function isWorkspacePath(path: string): boolean {
  const isNamed = Object.hasOwn(RECORD_FILES, path.toLowerCase()) || startupFile(path) !== undefined;
  if (isNamed || /^memory$/i.test(path)) return true;
  if (!/^memory\//i.test(path)) return false;
  const name = fileName(path);
  return !name.startsWith('.') && (TEXT_FILE.test(name) || !name.includes('.'));
}

/**
 * Imports the files of an OpenClaw agent as records and startup entries, and applies the changes since the last import.
 * @throws LociError `invalid_input` for a folder without such files, `conflict` for the folder of another agent
 */
export async function importWorkspace(job: ImportJob, files: WorkspaceFiles, agent: string): Promise<void> {
  const { context, options, report } = job;
  for (const { location, message } of files.problems) report.addProblem(location, message);
  const paths = files.paths.filter((path) => isWorkspacePath(path) && TEXT_FILE.test(path));
  if (paths.length === 0)
    throw new LociError(
      'invalid_input',
      `${files.name} is neither an export nor the folder of an OpenClaw agent`,
      { hint: 'Such a folder has MEMORY.md, USER.md, memory/*.md, SOUL.md, IDENTITY.md or AGENTS.md.' },
    );
  const source = agent === '' ? 'openclaw' : `openclaw:${agent}`;
  await assertSameFolder(job, files, source);
  const recordPaths = paths.filter((path) => startupFile(path) === undefined);
  const removed = new Set<string>();
  if (files.root !== null)
    for await (const { key } of recordsOf(context, source, '', false)) removed.add(key?.split('#')[0] ?? '');
  for (const path of recordPaths) removed.delete(path);
  const total = recordPaths.length + removed.size;
  for (const [i, path] of [...recordPaths, ...[...removed].sort()].entries()) {
    assertNotAborted(options);
    await importRecordFile(job, source, path, i < recordPaths.length ? files : null);
    options.onProgress?.({ stage: 'reading', subject: files.name, done: i + 1, total });
  }
  await importStartupFiles(job, files, agent);
  if (files.root !== null && !options.dry_run)
    await context.store.records.commit(context.namespace, {
      items: [sourceStateChange(`import:${source}`, { readAt: context.now(), root: files.root })],
    });
}

/** Importing another agent's folder under the same name would delete the records of the first folder. */
async function assertSameFolder(
  { context: { store, namespace }, options: { overwrite } }: ImportJob,
  { root, name }: WorkspaceFiles,
  source: string,
): Promise<void> {
  const earlier = (await sourceStates(store.records, namespace)).get(`import:${source}`)?.root ?? null;
  if (root === null || earlier === null || earlier === root || overwrite) return;
  throw new LociError(
    'conflict',
    `the records of ${source} were imported from ${earlier}, not from ${name}`,
    {
      hint: 'Name another agent with --agent, or confirm with --overwrite that the folder moved.',
    },
  );
}

async function* recordsOf(
  { store, namespace, now }: EngineContext,
  source: string,
  keyPrefix: string,
  deleted: boolean,
): AsyncGenerator<LociRecord> {
  const filter = { now: now(), origins: ['memory' as const], sources: [source], keyPrefix, deleted };
  for (let after: number | null = null; ;) {
    const page = await store.records.list(namespace, { filter }, { after, limit: BATCH_SIZE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** @param files `null` for a file that no longer exists, whose records are deleted */
async function importRecordFile(
  job: ImportJob,
  source: string,
  path: string,
  files: WorkspaceFiles | null,
): Promise<void> {
  const { context, report } = job;
  try {
    if (files !== null) await assertImportablePath(context, path);
    const text = files === null ? '' : await files.read(path);
    const fragments = splitIntoFragments(text, (RECORD_FILES[path.toLowerCase()] ?? DAILY_FILES).lists);
    if (fragments.length > MAX_FRAGMENTS_PER_FILE)
      throw new LociError(
        'invalid_input',
        `it has ${String(fragments.length)} sections and list items; the limit is ${String(MAX_FRAGMENTS_PER_FILE)}`,
      );
    const createdAt = await creationTime(context, path, files);
    const accepted = await acceptedRecords(job, source, path, fragments, createdAt);
    const existing = new Map<string | null, LociRecord>();
    for (const deleted of [false, true])
      for await (const each of recordsOf(context, source, `${path}#`, deleted)) existing.set(each.key, each);
    const planned: PlannedWrite[] = [];
    for (const record of accepted) {
      const plan = await planWrite(job, record, existing.get(record.key) ?? null);
      if (plan !== null) planned.push(plan);
      existing.delete(record.key);
    }
    // A record may be the earlier state of a fragment that was refused, so it is not deleted.
    if (accepted.length === fragments.length)
      planned.push(...[...existing.values()].flatMap((each) => planRemoval(job, each)));
    const writer = new RecordImporter(job);
    for (let start = 0; start < planned.length; start += BATCH_SIZE)
      await writer.write(planned.slice(start, start + BATCH_SIZE));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    report.addRefused('record', path, error);
  }
}

/**
 * Checks a path, which becomes part of the keys of its records unchanged.
 * @throws LociError `invalid_input`, `secret_refused`
 */
async function assertImportablePath(context: EngineContext, path: string): Promise<void> {
  if (path.length > MAX_PATH_LENGTH)
    throw new LociError(
      'invalid_input',
      `its path has ${String(path.length)} characters; the limit is ${String(MAX_PATH_LENGTH)}`,
    );
  assertWithinLimits({ key: path });
  const { masked } = await screenTexts(context, { title: path });
  if (masked.length > 0)
    throw new LociError('secret_refused', `its path contains a secret: ${masked.join(', ')}`);
}

async function creationTime(
  context: EngineContext,
  path: string,
  files: WorkspaceFiles | null,
): Promise<number> {
  const date = dateInName(fileName(path), () => null);
  const day = date === 'ambiguous' ? undefined : date?.timestamp;
  return day ?? (await files?.changedAt(path)) ?? context.now();
}

/** The records of the fragments that may be stored, with secrets masked. */
async function acceptedRecords(
  { context, options, report }: ImportJob,
  source: string,
  path: string,
  fragments: readonly Fragment[],
  createdAt: number,
): Promise<ExportedRecord[]> {
  const accepted: ExportedRecord[] = [];
  /** How many fragments have each key. */
  const numbers = new Map<string, number>();
  for (const fragment of fragments) {
    assertNotAborted(options);
    try {
      const draft = recordOf(context, source, path, fragment, createdAt);
      const { value, masked } = await recordType.screen(context, draft);
      report.addMasked(path, masked);
      const imported = shortHash(value.content);
      const { heading = '' } = value.metadata as { readonly heading?: string };
      const item = fragment.kind === 'item' ? `/${imported.slice(0, 8)}` : '';
      const base = `${path}#${heading.slice(0, MAX_HEADING_LENGTH).toWellFormed()}${item}`;
      const number = (numbers.get(base) ?? 0) + 1;
      numbers.set(base, number);
      const key = number === 1 ? base : `${base}~${String(number)}`;
      accepted.push({ ...value, source, key, metadata: { ...value.metadata, imported } });
    } catch (error) {
      if (!(error instanceof LociError)) throw error;
      // The report must not name the heading when that may be the secret.
      const isNamed = fragment.heading !== '' && error.code !== 'secret_refused';
      report.addRefused('record', isNamed ? `${path} › ${fragment.heading}` : path, error);
    }
  }
  return accepted;
}

function recordOf(
  { config, caller, now }: EngineContext,
  source: string,
  path: string,
  { heading, content, kind }: Fragment,
  createdAt: number,
): ExportedRecord {
  const name = fileName(path).replace(/\.[a-z]+$/i, '');
  const isDaily = /^memory\//i.test(path);
  const title = isDaily && heading !== '' ? `${name} › ${heading}` : heading === '' ? name : heading;
  return {
    id: 0,
    uuid: uuidv7(now()),
    project: config.project,
    origin: 'memory',
    source,
    // Agents write these files.
    trust: lowerTrust('agent', caller.trust),
    key: null,
    identity: null,
    category: (RECORD_FILES[path.toLowerCase()] ?? DAILY_FILES).category,
    recordType: kind === 'section' ? 'note' : 'fact',
    title: title.slice(0, MAX_TITLE_LENGTH),
    tags: [],
    content,
    metadata: { file: path, ...(heading !== '' && { heading }) },
    createdAt,
    updatedAt: now(),
    deletedAt: null,
    expiresAt: null,
    contentHash: sha256(content),
    revision: null,
  };
}

/** `null` when there is nothing to write. `metadata.imported` is the hash of the text as it was imported. */
async function planWrite(
  job: ImportJob,
  draft: ExportedRecord,
  existing: LociRecord | null,
): Promise<PlannedWrite | null> {
  const { context, report } = job;
  let record = draft;
  if (existing !== null) {
    const isSame = existing.metadata['imported'] === draft.metadata['imported'];
    const isDeleted = existing.deletedAt !== null;
    const isDeletedByUser = isDeleted && existing.metadata['removed'] !== true;
    if (isDeletedByUser || (isSame && !isDeleted)) {
      report.counts.record.unchanged++;
      return null;
    }
    if (!isDeleted && isKept(job, existing)) return null;
    const { namespace: _, ...rest } = existing;
    const { removed: __, ...metadata } = existing.metadata;
    record = {
      ...rest,
      ...(!isSame && { content: draft.content, contentHash: draft.contentHash }),
      title: draft.title,
      trust: lowerTrust(existing.trust, draft.trust),
      // Fields that were added in the store are kept.
      metadata: { ...metadata, ...draft.metadata },
      deletedAt: null,
      updatedAt: Math.max(context.now(), existing.updatedAt + 1),
    };
  }
  const passages = await (await chunkingOf(context)).cut(record);
  return { location: record.key ?? '', record, existing, exportedId: null, passages };
}

function planRemoval(job: ImportJob, existing: LociRecord): PlannedWrite[] {
  if (existing.deletedAt !== null || isKept(job, existing)) return [];
  const { namespace: _, ...rest } = existing;
  const deletedAt = job.context.now();
  const updatedAt = Math.max(deletedAt, existing.updatedAt + 1);
  const record = { ...rest, metadata: { ...rest.metadata, removed: true }, deletedAt, updatedAt };
  return [{ location: existing.key ?? '', record, existing, exportedId: null, passages: [] }];
}

/** Whether the record was changed in the store since its import. Such a record is kept unchanged and reported. */
function isKept({ options, report }: ImportJob, record: LociRecord): boolean {
  if (options.overwrite || shortHash(record.content) === record.metadata['imported']) return false;
  report.counts.record.kept++;
  report.addConflict(record.key ?? '', `record/${String(record.id)} was changed here, and so was the file`);
  return true;
}

/** Imports each file as an entry. Removes the entry of a deleted file, unless the entry was changed in the store. */
async function importStartupFiles(job: ImportJob, files: WorkspaceFiles, agent: string): Promise<void> {
  const { report } = job;
  const items = new ItemImport(job);
  for (const [name, defaults] of Object.entries(STARTUP_FILES)) {
    const existing = files.paths.filter((each) => startupFile(each) === name);
    const path = existing.includes(name) ? name : existing[0];
    for (const other of existing)
      if (other !== path) report.addProblem(other, `${path ?? name} is imported in its place`);
    try {
      const value = await startupEntry(job, files, path, { ...defaults, agent });
      if (value !== null) await items.add(path ?? name, { type: 'startup', value });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      report.addRefused('startup', path ?? name, error);
    }
  }
  await items.flush();
}

/** The entry to write; `null` for none. */
async function startupEntry(
  { context, report }: ImportJob,
  files: WorkspaceFiles,
  path: string | undefined,
  defaults: Pick<StartupEntry, 'agent' | 'key' | 'priority' | 'reinforce'>,
): Promise<StartupEntry | null> {
  const { store, namespace } = context;
  const entries = await startupEntries(store.records, namespace);
  const existing = entries.find(({ agent, key }) => agent === defaults.agent && key === defaults.key);
  const log = existing && { subject: startupSubject(existing), after: null, limit: 1 };
  const isImported =
    log !== undefined && (await store.admin.audit(namespace, { log })).entries[0]?.action === 'import';
  const now = Math.max(context.now(), (existing?.updatedAt ?? 0) + 1);
  if (path === undefined) {
    const isRemoved = files.root !== null && existing?.deletedAt === null && isImported;
    return isRemoved ? { ...existing, deletedAt: now, updatedAt: now } : null;
  }
  const content = await files.read(path);
  if (content.trim() === '') return null;
  const draft = { ...defaults, content, createdAt: now, updatedAt: now, deletedAt: null };
  const { value, masked } = await startup.screen(context, draft);
  report.addMasked(path, masked);
  if (existing === undefined) return value;
  const changedAt = await files.changedAt(path);
  const isFileNewer = changedAt === null || changedAt > existing.updatedAt;
  const isSame = existing.deletedAt === null && existing.content === value.content;
  // An entry that the user removed from the store stays removed unless the file changed afterwards.
  if (isSame || (existing.deletedAt !== null && !isImported && !isFileNewer)) return existing;
  const updatedAt = isImported || isFileNewer ? now : changedAt;
  const priority = isImported ? defaults.priority : existing.priority;
  return { ...existing, priority, content: value.content, deletedAt: null, updatedAt };
}
