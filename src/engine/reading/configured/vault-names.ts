import { realpath } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { CONFIG_FILE } from '../../../config/load.ts';
import type { VaultConfig } from '../../../config/sources-schema.ts';
import { LociError } from '../../../core/errors.ts';
import { shellWord } from '../../../core/text/split-command.ts';
import type { EngineContext } from '../../context.ts';
import type { SourceState } from '../../../store/admin-model.ts';
import { sourceStates } from '../../../store/items/kinds.ts';

/** The name of a vault, which its records carry as their source. */
export function vaultName({ name, path }: VaultConfig): string {
  return name ?? basename(path);
}

/** Whether the vault is read. The default is true. */
export function isEnabled({ enabled = true }: Pick<VaultConfig, 'enabled'>): boolean {
  return enabled;
}

/** The vaults that the caller may know of: vaults belong to the configured namespace. */
export function vaultsOfNamespace({ config, namespace }: EngineContext): readonly VaultConfig[] {
  return namespace === config.namespace ? config.vaults : [];
}

/**
 * Without this check, a folder with the name of another vault would evict the records of that vault. A vault whose configuration has
 * its name and a new path has moved, and keeps its records.
 * @throws LociError `invalid_config` that names both folders; `conflict` for the name of conversations
 */
export async function assertVaultNamesAreFree(
  { store, config, namespace }: EngineContext,
  vaults: readonly VaultConfig[],
): Promise<void> {
  const states = await sourceStates(store.records, namespace);
  for (const vault of vaults) {
    const name = vaultName(vault);
    const { root = null, hasConversations = false } = states.get(name) ?? {};
    assertNoConversations(name, hasConversations);
    if (root === null || isConfigured(name, vault, config.vaults)) continue;
    if (await isSameFolder(root, vault.path)) continue;
    const entries = await store.records.sourceEntries(namespace, name, { after: null, limit: 1 });
    if (entries.length > 0) throw nameConflict(name, root, vault.path);
  }
}

function isConfigured(name: string, { path }: VaultConfig, configured: readonly VaultConfig[]): boolean {
  return configured.some((vault) => vault.name === name && resolve(vault.path) === resolve(path));
}

async function isSameFolder(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([a, b].map((path) => realpath(path).catch(() => resolve(path))));
  return one === other;
}

/**
 * Called before a vault or a command is read, which takes out what it does not have.
 * @throws LociError `conflict` if the store has conversations of that name
 */
export function assertNoConversations(name: string, hasConversations = false): void {
  if (!hasConversations) return;
  const message = `${name} is the name of imported conversations, which a vault or source of that name would replace`;
  throw new LociError('conflict', message, {
    hint: `Give it another name in loci.yaml, or remove the conversations: loci sources remove ${shellWord(name)}`,
  });
}

function nameConflict(name: string, root: string, path: string): LociError {
  return new LociError(
    'invalid_config',
    `the records of ${name} came from ${root}; ${path} is another folder of the same name and would replace them`,
    {
      hint:
        `If the vault moved there, add it to loci.yaml with \`name: ${name}\` and \`path: ${path}\`. Otherwise ` +
        `add it with another name, or remove the old records: loci sources remove ${JSON.stringify(name)}`,
    },
  );
}

/** The settings that a source was last read with, if they are not those of this engine, which then cannot know whether it is gone. */
export function otherSettings({ settingsPlaces }: EngineContext, state: SourceState | null): string | null {
  if (state === null) return null;
  const own = settingsPlaces[state.root === null ? 'sources' : 'vaults'] ?? null;
  return state.settings === own ? null : (state.settings ?? CONFIG_FILE);
}
