import { LociError } from '../../core/errors.ts';
import { shortHash } from '../../core/ids.ts';
import { assertNotAborted } from '../../core/progress.ts';
import { newDraft } from '../../ingest/record-draft.ts';
import { dateInName } from '../../sources/dates/note-dates.ts';
import type { StartupEntry } from '../../store/admin-model.ts';
import { sourceStateChange, sourceStates, startupEntries } from '../../store/items/kinds.ts';
import { lowerTrust } from '../access/permission.ts';
import type { EngineContext } from '../context.ts';
import { assertWithinLimits } from '../fields/limits.ts';
import { screenTexts } from '../shared/screen.ts';
import { startupSubject } from '../startup/startup.ts';
import { type Fragment, type ListSplitting, splitIntoFragments } from './fragments.ts';
import { isRefusal, type ItemImport } from './item-type.ts';
import { startup } from './items.ts';
import { type ExportedRecord, record as recordType } from './records.ts';
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
const PAGE_SIZE = 100;
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

/** Whether a folder has a file that is imported. */
export function hasWorkspaceFiles({ paths }: WorkspaceFiles): boolean {
  return paths.some((path) => isWorkspacePath(path) && TEXT_FILE.test(path));
}

/**
 * Imports the files of an OpenClaw agent as records and startup entries, and applies the changes since the last import.
 * @throws LociError `invalid_input` for a folder without such files, `conflict` for the folder of another agent
 */
export async function importWorkspace(job: ItemImport, files: WorkspaceFiles, agent: string): Promise<void> {
  const { context, options, report } = job;
  const { store, namespace, now } = context;
  for (const problem of files.problems) report.add('problems', problem);
  const paths = files.paths.filter((path) => isWorkspacePath(path) && TEXT_FILE.test(path));
  if (paths.length === 0)
    throw new LociError(
      'invalid_input',
      `${files.name} is neither an export nor the folder of an OpenClaw agent`,
      { hint: 'Such a folder has MEMORY.md, USER.md, memory/*.md, SOUL.md, IDENTITY.md or AGENTS.md.' },
    );
  const source = agent === '' ? 'openclaw' : `openclaw:${agent}`;
  const { root } = files;
  const earlier = (await sourceStates(store.records, namespace)).get(`import:${source}`)?.root ?? null;
  // Another agent's folder under the same name would delete the records of the first folder.
  if (root !== null && earlier !== null && earlier !== root && !options.overwrite)
    throw new LociError(
      'conflict',
      `the records of ${source} were imported from ${earlier}, not from ${files.name}`,
      { hint: 'Name another agent with --agent, or confirm with --overwrite that the folder moved.' },
    );
  const recordPaths = new Set(paths.filter((path) => startupFile(path) === undefined));
  const all = new Set(recordPaths);
  if (root !== null)
    for await (const { key } of recordsOf(context, source, '', false)) all.add(key?.split('#')[0] ?? '');
  let done = 0;
  for (const path of all) {
    assertNotAborted(options);
    await job.attempt('record', path, async () => {
      await importRecordFile(job, source, path, recordPaths.has(path) ? files : null);
      return null;
    });
    options.onProgress?.({ stage: 'reading', subject: files.name, done: ++done, total: all.size });
  }
  await importStartupFiles(job, files, agent);
  await job.flush();
  if (root === null || options.dry_run) return;
  const state = sourceStateChange(`import:${source}`, { readAt: now(), root });
  await store.records.commit(namespace, { items: [state] });
}

async function* recordsOf(
  { store, namespace, now }: EngineContext,
  source: string,
  keyPrefix: string,
  deleted: boolean,
): AsyncGenerator<ExportedRecord> {
  const filter = { now: now(), origins: ['memory' as const], sources: [source], keyPrefix, deleted };
  for (let after: number | null = null; ;) {
    const page = await store.records.list(namespace, { filter }, { after, limit: PAGE_SIZE });
    for (const { namespace: _, ...each } of page) yield each;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** @param files `null` for a file that no longer exists, whose records are deleted */
async function importRecordFile(
  job: ItemImport,
  source: string,
  path: string,
  files: WorkspaceFiles | null,
): Promise<void> {
  const { context, options, report } = job;
  if (files !== null) await assertImportablePath(context, path);
  const text = files === null ? '' : await files.read(path);
  const fragments = splitIntoFragments(text, (RECORD_FILES[path.toLowerCase()] ?? DAILY_FILES).lists);
  if (fragments.length > MAX_FRAGMENTS_PER_FILE)
    throw new LociError(
      'invalid_input',
      `it has ${String(fragments.length)} sections and list items; the limit is ${String(MAX_FRAGMENTS_PER_FILE)}`,
    );
  const createdAt = await creationTime(context, path, files);
  const existing = new Map<string | null, ExportedRecord>();
  for (const deleted of [false, true])
    for await (const each of recordsOf(context, source, `${path}#`, deleted)) existing.set(each.key, each);
  /** Imports a record unless it was changed both here and in the file. */
  const put = async (value: ExportedRecord, before?: ExportedRecord): Promise<void> => {
    const location = value.key ?? '';
    const isLive = before !== undefined && before !== value && before.deletedAt === null;
    if (!isLive || options.overwrite || shortHash(before.content) === before.metadata['imported']) {
      await job.put(location, { type: 'record', value });
      return;
    }
    report.counts('record').kept++;
    const message = `record/${String(before.id)} was changed here, and so was the file`;
    report.add('conflicts', { location, message });
  };
  /** How many fragments have each key. */
  const numbers = new Map<string, number>();
  let refused = 0;
  for (const fragment of fragments) {
    assertNotAborted(options);
    try {
      const draft = await recordOf(job, source, path, fragment, createdAt, numbers);
      const before = existing.get(draft.key);
      existing.delete(draft.key);
      await put(before === undefined ? draft : merged(context, draft, before), before);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refused++;
      // The report must not name the heading when that may be the secret.
      const isNamed = fragment.heading !== '' && error.code !== 'secret_refused';
      report.addRefused('record', isNamed ? `${path} › ${fragment.heading}` : path, error);
    }
  }
  // A record may be the earlier state of a fragment that was refused, so it is not deleted.
  if (refused > 0) return;
  for (const before of existing.values())
    if (before.deletedAt === null) {
      const updatedAt = Math.max(context.now(), before.updatedAt + 1);
      const metadata = { ...before.metadata, removed: true };
      await put({ ...before, metadata, deletedAt: context.now(), updatedAt }, before);
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

/**
 * The record of a fragment, with secrets masked. `metadata.imported` is the hash of the text as it was imported.
 * @param numbers how many fragments have each key, which is counted on
 * @throws LociError `invalid_input`, `secret_refused`
 */
async function recordOf(
  { context, report }: ItemImport,
  source: string,
  path: string,
  { heading, content, kind }: Fragment,
  createdAt: number,
  numbers: Map<string, number>,
): Promise<ExportedRecord> {
  const { config, caller, now } = context;
  const name = fileName(path).replace(/\.[a-z]+$/i, '');
  const isDaily = /^memory\//i.test(path);
  const title = isDaily && heading !== '' ? `${name} › ${heading}` : heading === '' ? name : heading;
  const draft = newDraft(
    {
      ...{ content, source, createdAt, origin: 'memory', project: config.project, tags: [], key: null },
      title: title.slice(0, MAX_TITLE_LENGTH),
      // Agents write these files.
      trust: lowerTrust('agent', caller.trust),
      category: (RECORD_FILES[path.toLowerCase()] ?? DAILY_FILES).category,
      recordType: kind === 'section' ? 'note' : 'fact',
      metadata: { file: path, ...(heading !== '' && { heading }) },
      expiresAt: null,
    },
    now(),
  );
  const { value, masked } = await recordType.screen(context, { ...draft, id: 0, deletedAt: null });
  report.addMasked(path, masked);
  const imported = shortHash(value.content);
  const { heading: screened = '' } = value.metadata as { readonly heading?: string };
  const item = kind === 'item' ? `/${imported.slice(0, 8)}` : '';
  const base = `${path}#${screened.slice(0, MAX_HEADING_LENGTH).toWellFormed()}${item}`;
  const number = (numbers.get(base) ?? 0) + 1;
  numbers.set(base, number);
  const key = number === 1 ? base : `${base}~${String(number)}`;
  return { ...value, source, key, metadata: { ...value.metadata, imported } };
}

/** A record with what has changed in its file since it was imported; unchanged when nothing has, or when a user deleted it. */
function merged(context: EngineContext, draft: ExportedRecord, existing: ExportedRecord): ExportedRecord {
  const isSame = existing.metadata['imported'] === draft.metadata['imported'];
  const isDeleted = existing.deletedAt !== null;
  const { removed, ...metadata } = existing.metadata;
  if (isDeleted ? removed !== true : isSame) return existing;
  return {
    ...existing,
    ...(!isSame && { content: draft.content, contentHash: draft.contentHash }),
    title: draft.title,
    trust: lowerTrust(existing.trust, draft.trust),
    // Fields that were added in the store are kept.
    metadata: { ...metadata, ...draft.metadata },
    deletedAt: null,
    updatedAt: Math.max(context.now(), existing.updatedAt + 1),
  };
}

/** Imports each file as an entry. Removes the entry of a deleted file, unless the entry was changed in the store. */
async function importStartupFiles(job: ItemImport, files: WorkspaceFiles, agent: string): Promise<void> {
  const { store, namespace } = job.context;
  const entries = await startupEntries(store.records, namespace);
  for (const [name, defaults] of Object.entries(STARTUP_FILES)) {
    const found = files.paths.filter((each) => startupFile(each) === name);
    const path = found.includes(name) ? name : found[0];
    for (const location of found)
      if (location !== path)
        job.report.add('problems', { location, message: `${path ?? name} is imported in its place` });
    const existing = entries.find((each) => each.agent === agent && each.key === defaults.key);
    await job.attempt('startup', path ?? name, async () => {
      const value = await startupEntry(job, files, path, { ...defaults, agent }, existing);
      return value === null ? null : { type: 'startup', value };
    });
  }
}

/** The entry of a file; `null` for none. The file replaces what an import wrote last, and else what is older than the file. */
async function startupEntry(
  { context, report }: ItemImport,
  files: WorkspaceFiles,
  path: string | undefined,
  defaults: Pick<StartupEntry, 'agent' | 'key' | 'priority' | 'reinforce'>,
  existing: StartupEntry | undefined,
): Promise<StartupEntry | null> {
  const { store, namespace, now } = context;
  const log = existing && { subject: startupSubject(existing), after: null, limit: 1 };
  const isImported =
    log !== undefined && (await store.admin.audit(namespace, { log })).entries[0]?.action === 'import';
  const earliest = isImported ? (existing?.updatedAt ?? 0) + 1 : 0;
  if (path === undefined) {
    const at = Math.max(now(), earliest);
    const isRemoved = files.root !== null && existing?.deletedAt === null && isImported;
    return isRemoved ? { ...existing, deletedAt: at, updatedAt: at } : null;
  }
  const content = await files.read(path);
  if (content.trim() === '') return null;
  const at = Math.max((await files.changedAt(path)) ?? now(), earliest);
  const times = { createdAt: existing?.createdAt ?? at, updatedAt: at, deletedAt: null };
  const draft = { ...defaults, ...existing, content, ...times };
  const { value, masked } = await startup.screen(context, draft);
  report.addMasked(path, masked);
  if (existing === undefined) return value;
  // An entry that the user removed from the store stays removed unless the file changed afterwards.
  const isSame = existing.deletedAt === null ? existing.content === value.content : at <= existing.updatedAt;
  return isSame ? existing : value;
}
