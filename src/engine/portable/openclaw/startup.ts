import { LociError } from '../../../core/errors.ts';
import type { StartupEntry } from '../../../store/startup.ts';
import type { EngineContext } from '../../context.ts';
import { startupSubject } from '../../startup/startup.ts';
import { fitStartup } from '../import-fitness.ts';
import type { ImportReport } from '../import-report.ts';
import type { ImportRun } from '../import-run.ts';
import type { TextFiles } from '../text-files.ts';

/** What an agent is told before it begins, by file; who it is first. */
export const STARTUP_FILES: Readonly<Record<string, Pick<StartupEntry, 'key' | 'priority' | 'reinforce'>>> = {
  'SOUL.md': { key: 'soul', priority: 0, reinforce: true },
  'IDENTITY.md': { key: 'identity', priority: 1, reinforce: false },
  'AGENTS.md': { key: 'agents', priority: 2, reinforce: false },
  'TOOLS.md': { key: 'tools', priority: 3, reinforce: false },
};

interface Taking {
  readonly report: ImportReport;
  readonly agent: string;
}

/** Each of the files as it is; an entry that nobody changed here since goes with its file. */
export async function importStartupFiles(
  context: EngineContext,
  run: ImportRun,
  files: TextFiles,
  taking: Taking,
): Promise<void> {
  for (const path of Object.keys(STARTUP_FILES)) {
    try {
      const entry = await entryFor(context, files, path, taking);
      if (entry !== null) await run.putStartup(path, entry);
    } catch (error) {
      if (!(error instanceof LociError) || !REFUSALS.includes(error.code)) throw error;
      taking.report.refuse(taking.report.startup, path, error);
    }
  }
}

const REFUSALS: readonly string[] = ['unreadable', 'invalid_input', 'secret_refused', 'forbidden'];

/** The entry to put; `null` for none. */
async function entryFor(
  context: EngineContext,
  files: TextFiles,
  path: string,
  { report, agent }: Taking,
): Promise<StartupEntry | null> {
  const { store, namespace } = context;
  const shape = STARTUP_FILES[path] ?? { key: path, priority: 9, reinforce: false };
  const entries = await store.startupEntries(namespace);
  const held = entries.find((entry) => entry.agent === agent && entry.key === shape.key);
  const isThere = files.paths.includes(path);
  if (!isThere && (files.root === null || held === undefined || held.deletedAt !== null)) return null;
  const isImported = held !== undefined && (await lastAction(context, held)) === 'import';
  const now = Math.max(context.now(), (held?.updatedAt ?? 0) + 1);
  if (!isThere) return held !== undefined && isImported ? { ...held, deletedAt: now, updatedAt: now } : null;
  const text = await files.read(path, 'plain');
  if (text.trim() === '') return null;
  const drafted = { ...shape, agent, content: text, createdAt: now, updatedAt: now, deletedAt: null };
  const { thing, masked } = await fitStartup(context, drafted);
  report.mask(path, masked);
  if (held === undefined) return thing;
  const changed = await files.changedAt(path);
  const isNewer = changed === null || changed > held.updatedAt;
  const isSame = held.deletedAt === null && held.content === thing.content;
  // Whoever set or removed it here meant it; only what was written since says otherwise.
  if (isSame || (held.deletedAt !== null && !isImported && !isNewer)) return held;
  const updatedAt = isImported || isNewer ? now : changed;
  const { content } = thing;
  return { ...held, ...(isImported && { priority: shape.priority }), content, deletedAt: null, updatedAt };
}

/** The last that was done with an entry. */
async function lastAction(
  { store, namespace }: EngineContext,
  entry: StartupEntry,
): Promise<string | undefined> {
  const filter = { subject: startupSubject(entry) };
  return (await store.auditEntries(namespace, filter, { after: null, limit: 1 }))[0]?.action;
}
