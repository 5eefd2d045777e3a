import type { StartupEntry } from '../../../store/admin-model.ts';
import { startupEntries } from '../../../store/items/kinds.ts';
import type { EngineContext } from '../../context.ts';
import { startupSubject } from '../../startup/startup.ts';
import { ItemImport } from '../items/import-items.ts';
import { isRefusal, type ImportJob } from '../items/item-type.ts';
import { startup } from '../items/items.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

/** The startup entry that each of these files becomes. */
const STARTUP_FILES: Readonly<Record<string, Pick<StartupEntry, 'key' | 'priority' | 'reinforce'>>> = {
  'SOUL.md': { key: 'soul', priority: 0, reinforce: true },
  'IDENTITY.md': { key: 'identity', priority: 1, reinforce: false },
  'AGENTS.md': { key: 'agents', priority: 2, reinforce: false },
  'TOOLS.md': { key: 'tools', priority: 3, reinforce: false },
};

/** The name of the file that a path is, in whatever case; `undefined` for other files. */
function startupFile(path: string): string | undefined {
  return Object.keys(STARTUP_FILES).find((name) => name.toLowerCase() === path.toLowerCase());
}

/** Whether a file becomes a startup entry. */
export function isStartupFile(path: string): boolean {
  return startupFile(path) !== undefined;
}

/** Imports each file as an entry. Removes the entry of a deleted file, unless the entry was changed in the store. */
export async function importStartupFiles(
  job: ImportJob,
  files: WorkspaceFiles,
  agent: string,
): Promise<void> {
  const { report } = job;
  const items = new ItemImport(job);
  for (const name of Object.keys(STARTUP_FILES)) {
    const existing = files.paths.filter((each) => startupFile(each) === name);
    const [path = name] = existing.includes(name) ? [name] : existing;
    for (const other of existing)
      if (other !== path) report.addProblem(other, `${path} is imported in its place`);
    try {
      const entry = await entryFor(job, files, path, agent);
      if (entry !== null) await items.add(path, { type: 'startup', value: entry });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      report.addRefused('startup', path, error);
    }
  }
  await items.flush();
}

/** The entry to write; `null` for none. */
async function entryFor(
  { context, report }: ImportJob,
  files: WorkspaceFiles,
  path: string,
  agent: string,
): Promise<StartupEntry | null> {
  const { store, namespace } = context;
  const defaults = STARTUP_FILES[startupFile(path) ?? ''] ?? { key: path, priority: 9, reinforce: false };
  const entries = await startupEntries(store.records, namespace);
  const existing = entries.find((entry) => entry.agent === agent && entry.key === defaults.key);
  const exists = files.paths.includes(path);
  if (!exists && (files.root === null || existing === undefined || existing.deletedAt !== null)) return null;
  const isImported = existing !== undefined && (await lastAction(context, existing)) === 'import';
  const now = Math.max(context.now(), (existing?.updatedAt ?? 0) + 1);
  if (!exists)
    return existing !== undefined && isImported ? { ...existing, deletedAt: now, updatedAt: now } : null;
  const text = await files.read(path);
  if (text.trim() === '') return null;
  const draft = { ...defaults, agent, content: text, createdAt: now, updatedAt: now, deletedAt: null };
  const { value, masked } = await startup.screen(context, draft);
  report.addMasked(path, masked);
  if (existing === undefined) return value;
  const changedAt = await files.changedAt(path);
  const isFileNewer = changedAt === null || changedAt > existing.updatedAt;
  const isSame = existing.deletedAt === null && existing.content === value.content;
  // An entry that the user removed from the store stays removed unless the file changed afterwards.
  if (isSame || (existing.deletedAt !== null && !isImported && !isFileNewer)) return existing;
  const updatedAt = isImported || isFileNewer ? now : changedAt;
  const { content } = value;
  const priority = isImported ? defaults.priority : existing.priority;
  return { ...existing, priority, content, deletedAt: null, updatedAt };
}

/** The action of the newest audit entry about a startup entry. */
async function lastAction(
  { store, namespace }: EngineContext,
  entry: StartupEntry,
): Promise<string | undefined> {
  const log = { subject: startupSubject(entry), after: null, limit: 1 };
  return (await store.admin.audit(namespace, { log })).entries[0]?.action;
}
