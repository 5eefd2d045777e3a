import { messageOf } from '../../core/errors.ts';
import type { ProgressOptions } from '../../core/progress.ts';
import { formatCount } from '../../core/text/format-count.ts';
import { formatAge } from '../../core/time/age.ts';
import type { Timestamp } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';
import { formatVaultChanges } from '../reading/vault-changes.ts';
import { isEnabled, vaultsOfNamespace } from '../reading/configured/vault-names.ts';
import { type VaultState, type VaultStates, vaultStates } from '../reading/vault-states.ts';
import { type Check, isAbort } from './check.ts';
import { checkNotes } from './check-notes.ts';

/** Checks every vault of the namespace, and the notes of those that are enabled. @throws LociError `aborted` */
export async function checkVaults(context: EngineContext, options: ProgressOptions): Promise<Check[]> {
  try {
    const states = vaultChecks(await vaultStates(context), context.now());
    const vaults = vaultsOfNamespace(context).filter(isEnabled);
    const notes: Check[] = [];
    for (const vault of vaults) notes.push(...(await checkNotes(context, vault, options)));
    return [...states, ...notes];
  } catch (error) {
    if (isAbort(error)) throw error;
    return [{ name: 'vaults', result: 'failed', detail: messageOf(error), hint: null }];
  }
}

export function vaultChecks({ vaults, unconfigured }: VaultStates, now: Timestamp): Check[] {
  return [...vaults.map((vault) => checkVault(vault, now)), ...unconfigured.map(checkUnconfigured)];
}

function checkVault(
  { name, path, enabled, paused, last_read, changes, unreadable }: VaultState,
  now: Timestamp,
): Check {
  const check = { name: `vault ${name}`, result: 'warning' as const, hint: 'Run `loci index`.' };
  if (!enabled) return { ...check, result: 'ok', detail: `${path}; disabled`, hint: null };
  if (unreadable !== null)
    return {
      ...check,
      result: 'failed',
      detail: unreadable,
      hint: `Mount it or correct its path; \`loci sources remove ${JSON.stringify(name)}\` removes its records.`,
    };
  const summary = changes === null ? '' : formatVaultChanges(changes);
  const isRead = last_read !== null && changes !== null;
  const read = isRead ? `read ${formatAge(Date.parse(last_read), now)}` : 'it was not read yet';
  const detail = `${path}; ${read}${summary === '' ? '' : `, since then ${summary}`}`;
  if (paused)
    return {
      ...check,
      result: 'ok',
      detail: `paused: ${detail}`,
      repair: { operation: 'sources-resume', input: { id: name } },
      hint: `\`loci sources resume ${JSON.stringify(name)}\` resumes automatic refreshes; \`loci index\` reads it now.`,
    };
  if (!isRead || summary !== '')
    return { ...check, detail, repair: { operation: 'sources-refresh', input: { ids: [name] } } };
  return { ...check, result: 'ok', detail, hint: null };
}

function checkUnconfigured({ name, records, settings }: VaultStates['unconfigured'][number]): Check {
  if (settings !== null)
    return {
      name: `vault ${name}`,
      result: 'ok',
      detail: `${formatCount(records, 'record')}; ${settings} had it when it was last read`,
      hint: null,
    };
  return {
    name: `vault ${name}`,
    result: 'warning',
    detail: `${formatCount(records, 'record')} of a vault that is not in the settings: they are found, and nothing refreshes them`,
    hint: `Put the vault back into loci.yaml with the name ${name}, or take its records out: loci sources remove ${JSON.stringify(name)}`,
  };
}
