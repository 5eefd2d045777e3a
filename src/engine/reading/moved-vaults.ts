import { readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { VaultConfig } from '../../config/sources-schema.ts';
import { LociError } from '../../core/errors.ts';
import { systemErrorCode } from '../../core/fs/file-errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { ProgressOptions } from '../../core/progress.ts';
import { storedEntriesByKey } from '../../ingest/source-entries.ts';
import type { SourceItem } from '../../sources/source.ts';
import { sourceStates } from '../../store/items/kinds.ts';
import type { EngineContext } from '../context.ts';
import { isEnabled, vaultName, vaultsOfNamespace } from './configured/vault-names.ts';
import { vaultSource } from './refresh/refresh-vault.ts';

/** A vault whose folder is missing, as a folder with its notes shows where it is now. */
export interface MovedVault {
  /** Its settings, or its name alone if it is in no settings, with the path of the new folder. */
  readonly vault: VaultConfig & { readonly name: string };
  readonly isConfigured: boolean;
  readonly from: string;
  /** The notes that the store has of it, and how many of their paths the folder has. */
  readonly notes: number;
  readonly shared: number;
  /**
   * Whether the folder is surely that vault: it has the paths of all notes and most of their texts, and the folder that contained the old
   * one is there. A backup has them too, while the disk of the vault is not connected.
   */
  readonly isSame: boolean;
  /** Whether its settings keep notes from agents or from being read. Those of a new vault would not. */
  readonly isRestricted: boolean;
}

/** Of the texts that are compared. */
const MIN_SAME = 0.8;
/** Of the notes of the folder, which may have new ones. */
const MIN_KNOWN = 0.5;
/** A folder with fewer of the notes is another one. */
const MIN_SIMILAR = 0.3;
/** Texts that are compared, spread evenly over the notes. */
const MAX_COMPARED = 200;

/**
 * The missing vaults that a folder is like, the most similar one first. A vault whose folder is there has not moved.
 * @param folder a real path that no vault has
 * @throws LociError `unreadable`, `aborted`
 */
export async function movedVaultsAt(
  context: EngineContext,
  folder: string,
  { signal }: ProgressOptions = {},
): Promise<MovedVault[]> {
  const moved: MovedVault[] = [];
  for (const { vault, isConfigured } of await missingVaults(context)) {
    const at = { ...vault, path: folder };
    const compared = await compareNotes(context, at, signal);
    if (compared.shared === 0 || compared.shared < MIN_SIMILAR * compared.notes) continue;
    const isSame = compared.isSame && isEnabled(vault) && (await isContainerThere(vault.path));
    const isRestricted = isConfigured && hasRestrictions(vault);
    moved.push({ vault: at, isConfigured, from: vault.path, ...compared, isSame, isRestricted });
  }
  return moved.sort((a, b) => Number(b.isSame) - Number(a.isSame) || b.shared / b.notes - a.shared / a.notes);
}

type Known = Pick<MovedVault, 'vault' | 'isConfigured'>;

async function missingVaults(context: EngineContext): Promise<Known[]> {
  const configured = vaultsOfNamespace(context).map((vault): Known => {
    return { vault: { ...vault, name: vaultName(vault) }, isConfigured: true };
  });
  const names = new Set(configured.map(({ vault }) => vault.name));
  const states = await sourceStates(context.store.records, context.namespace);
  const formerly = [...states].flatMap(([name, { root }]): Known[] =>
    root === null || names.has(name) ? [] : [{ vault: { name, path: root }, isConfigured: false }],
  );
  const all = [...configured, ...formerly];
  const missing = await Promise.all(all.map(({ vault }) => isMissing(vault)));
  return all.filter((_, i) => missing[i]);
}

/** Whether nothing is at the path of a vault. A folder that may not be read is there. */
async function isMissing({ path }: VaultConfig): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT';
  }
}

/** Whether the folder that contained a missing one is there. It is missing or empty if it is on a disk that is not connected. */
async function isContainerThere(path: string): Promise<boolean> {
  const beside = await readdir(dirname(path)).catch(() => []);
  return beside.length > 0;
}

function hasRestrictions(vault: VaultConfig): boolean {
  const { includeInContext = true, exclude = [] } = vault;
  return !includeInContext || exclude.length > 0 || !isEnabled(vault);
}

async function compareNotes(
  context: EngineContext,
  vault: MovedVault['vault'],
  signal: AbortSignal | undefined,
): Promise<Pick<MovedVault, 'notes' | 'shared' | 'isSame'>> {
  const stored = await storedEntriesByKey(context.store.records, context.namespace, vault.name);
  const none = { notes: stored.size, shared: 0, isSame: false };
  if (stored.size === 0) return none;
  const source = await vaultSource(context, vault);
  const ignore = (): void => undefined;
  const shared: SourceItem[] = [];
  let listed = 0;
  for await (const item of source.list(ignore, signal)) {
    listed++;
    if (stored.has(item.key)) shared.push(item);
  }
  const found = { ...none, shared: shared.length };
  if (shared.length < stored.size || shared.length < MIN_KNOWN * listed) return found;
  const step = Math.ceil(shared.length / MAX_COMPARED);
  const compared = shared.filter((_, i) => i % step === 0);
  let [same, written] = [0, 0];
  for (const item of compared) {
    if (signal?.aborted === true) throw new LociError('aborted', 'comparing the notes was stopped');
    const document = await source.read(item, ignore, signal);
    if (document === null || sha256(document.content) !== stored.get(item.key)!.contentHash) continue;
    same++;
    if (document.content.trim() !== '') written++;
  }
  return { ...found, isSame: written > 0 && same >= MIN_SAME * compared.length };
}
