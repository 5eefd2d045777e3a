import { realpath, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { configAppend, configRemove, configUpdate } from '../../config/edit.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { expandHome } from '../../config/paths.ts';
import { isJsonMap } from '../../core/json.ts';
import { sourceNameKey, type VaultConfig } from '../../config/sources-schema.ts';
import { vaultName } from '../../engine/reading/configured/vault-names.ts';
import type { EngineContext } from '../../engine/context.ts';
import { type MovedVault, movedVaultsAt } from '../../engine/reading/moved-vaults.ts';
import { LociError } from '../../core/errors.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import type { Json } from '../../core/types.ts';
import { isWithin } from '../../sources/files/paths.ts';
import { shortHash } from '../../core/ids.ts';
import { formatCount } from '../../core/text/format-count.ts';
import type { OperationContext } from '../operation.ts';

export interface NamedVault extends VaultConfig {
  readonly name: string;
}

/** The configured vaults with their names, which are unique. */
export function namedVaults({ values }: LoadedConfig): NamedVault[] {
  return values.vaults.map((vault) => ({ ...vault, name: vaultName(vault) }));
}

interface PlacedFolders {
  readonly vaults: readonly NamedVault[];
  /** Those that are not in the configuration. */
  readonly unconfigured: readonly NamedVault[];
}

/**
 * Finds or creates the vault of each folder. Configured vaults are found by their real path; a new vault gets an unused name. The name
 * of a folder that is read only `once` includes a hash of its path, so that it cannot match the records of another folder.
 * @throws LociError `unreadable` for a path that is not a folder, `conflict` for one inside or around a configured vault
 */
export async function placeFolders(
  paths: readonly string[],
  config: LoadedConfig,
  once: boolean,
): Promise<PlacedFolders> {
  const configuredVaults = await Promise.all(
    namedVaults(config).map(async (vault) => ({
      ...vault,
      real: await realpath(vault.path).catch(() => vault.path),
    })),
  );
  const placed = new Map<string, NamedVault>();
  const unconfigured: NamedVault[] = [];
  for (const path of paths) {
    const real = await realFolder(path);
    if (placed.has(real)) continue;
    const configured = configuredVaults.find((vault) => vault.real === real);
    if (configured === undefined)
      assertNoOverlap(real, [
        ...configuredVaults,
        ...[...placed].map(([realPath, { name }]) => ({ name, real: realPath })),
      ]);
    const usedNames = [
      ...config.values.sources.map(({ id }) => id),
      ...[...configuredVaults, ...placed.values()].map(({ name }) => name),
    ];
    const vault = configured ?? { name: once ? nameByPath(real) : unusedName(real, usedNames), path: real };
    if (configured === undefined) unconfigured.push(vault);
    placed.set(real, vault);
  }
  return { vaults: [...placed.values()], unconfigured };
}

/** Adds vaults to loci.yaml. Returns remarks for the owner. */
export async function addVaults(context: OperationContext, vaults: readonly NamedVault[]): Promise<string[]> {
  const notes: string[] = [];
  for (const { name, path } of vaults) {
    const change = await retryOnConflict(
      () => configAppend('vaults', { name, path }, context),
      context.signal,
    );
    if (change.overriddenBy !== undefined) {
      notes.push(`${name} is in ${change.file}, but ${change.overriddenBy} hides the vaults there`);
    }
  }
  return notes;
}

/** New folders of which some are vaults that have moved there. */
interface SettledFolders {
  /** By path: what is read in place of a new vault. */
  readonly moved: ReadonlyMap<string, NamedVault>;
  /** Remarks for the owner. */
  readonly notes: readonly string[];
}

/**
 * Finds the vaults that have moved to new folders, and changes their paths in loci.yaml. Their names and records stay. A folder that is
 * only similar to a missing vault stays a new one, and a remark says so.
 * @param once whether the settings stay as they are
 * @throws LociError `conflict` for a folder that may have notes which the settings of a missing vault keep from agents; `unreadable`,
 *   `aborted`, and those of `configSet`
 */
export async function settleMoved(
  context: OperationContext,
  loci: EngineContext,
  unconfigured: readonly NamedVault[],
  once: boolean,
): Promise<SettledFolders> {
  const isFromEnvironment = (await context.loadConfig()).origins.get('vaults')?.startsWith('env ') === true;
  const changesSettings = !once && !isFromEnvironment;
  const found = new Map<string, MovedVault>();
  const notes: string[] = [];
  for (const { path, name } of unconfigured) {
    const taken = new Set([...found.values()].map(({ vault }) => vault.name));
    const like = (await movedVaultsAt(loci, path, context)).filter(({ vault }) => !taken.has(vault.name));
    const [best, next] = like;
    if (changesSettings && best?.isSame === true && next?.isSame !== true) {
      found.set(path, best);
      continue;
    }
    const restricted = like.find(({ isRestricted }) => isRestricted);
    if (restricted !== undefined) throw restrictedConflict(path, restricted);
    if (changesSettings && best !== undefined)
      notes.push(
        `${likeness(path, best)}, and was added as ${name}; if ${best.vault.name} has moved there, remove ${name} and ` +
          `give ${best.vault.name} that path in loci.yaml`,
      );
  }
  // No path is changed if a folder is an error.
  for (const [path, { vault, from, isConfigured }] of found) {
    if (isConfigured) await moveVault(context, vault);
    else notes.push(...(await addVaults(context, [{ name: vault.name, path }])));
    notes.push(`${vault.name} has moved from ${from} to ${path}: its name and its records stay`);
  }
  return { moved: new Map([...found].map(([path, { vault }]) => [path, vault])), notes };
}

/** `/b has the paths of 3 of 6 notes of vault, whose folder /a is missing` */
function likeness(path: string, { vault, from, shared, notes }: MovedVault): string {
  return `${path} has the paths of ${String(shared)} of ${formatCount(notes, 'note')} of ${vault.name}, whose folder ${from} is missing`;
}

function restrictedConflict(path: string, like: MovedVault): LociError {
  const { name, includeInContext = true, exclude = [], enabled = true } = like.vault;
  const settings = [
    ...(includeInContext ? [] : ['`includeInContext: false`']),
    ...(exclude.length === 0 ? [] : ['`exclude`']),
    ...(enabled ? [] : ['`enabled: false`']),
  ].join(' and ');
  return new LociError(
    'conflict',
    `${likeness(path, like)}; the settings of ${name} have ${settings}, and those of a new vault would not, so nothing was read`,
    {
      hint:
        `If ${name} has moved there, give it \`path: ${path}\` in loci.yaml. Otherwise add that path to the vaults of loci.yaml ` +
        'with another name and the settings that you want for it. Then run `loci index`.',
    },
  );
}

async function moveVault(context: OperationContext, { name, path }: NamedVault): Promise<void> {
  const update = (): Promise<unknown> =>
    configUpdate('vaults', isVaultCalled(context, name), { name, path }, context);
  await retryOnConflict(update, context.signal);
}

/**
 * Removes a vault from loci.yaml.
 * @throws LociError `conflict` when the environment names the vaults
 */
export async function removeVault(context: OperationContext, vault: string): Promise<void> {
  await removeEntry(context, 'vaults', vault, isVaultCalled(context, vault));
}

function isVaultCalled(context: OperationContext, vault: string): (entry: Json) => boolean {
  return (entry) => {
    if (!isJsonMap(entry)) return false;
    const { name, path } = entry;
    return (
      (name ?? (typeof path === 'string' ? basename(resolve(context.home, expandHome(path))) : '')) === vault
    );
  };
}

async function realFolder(path: string): Promise<string> {
  const absolute = resolve(expandHome(path));
  try {
    const real = await realpath(absolute);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    const missing = systemErrorCode(error) === 'ENOENT';
    const message = missing
      ? `there is no folder ${absolute}`
      : `${absolute} cannot be read: ${describeFileError(error)}`;
    throw new LociError('unreadable', message, { cause: error });
  }
  throw new LociError('unreadable', `${absolute} is not a folder`, {
    hint: 'Name the folder that contains your notes.',
  });
}

function assertNoOverlap(
  real: string,
  known: readonly { readonly name: string; readonly real: string }[],
): void {
  for (const vault of known) {
    const inside = isWithin(vault.real, real);
    if (!inside && !isWithin(real, vault.real)) continue;
    throw new LociError(
      'conflict',
      `${real} is ${inside ? 'inside' : 'around'} the vault ${vault.name} (${vault.real})`,
      {
        hint: inside
          ? 'Run `loci index`: its notes are read with that vault.'
          : 'Remove that vault from loci.yaml first; otherwise its notes would be found twice.',
      },
    );
  }
}

function unusedName(path: string, usedNames: readonly string[]): string {
  const keys = new Set(usedNames.map(sourceNameKey));
  const name = folderName(path);
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}-${String(count)}`;
    if (!keys.has(sourceNameKey(candidate))) return candidate;
  }
}

function nameByPath(path: string): string {
  return `${folderName(path)}-${shortHash(path).slice(0, 6)}`;
}

/** Leaves room for the suffix that makes a name unique. */
const MAX_NAME_LENGTH = 100;

/** A colon separates the source from the path in a citation. */
function folderName(path: string): string {
  const name = basename(path).normalize('NFC').replaceAll(/[:#]/g, '-').trim();
  return [...name].slice(0, MAX_NAME_LENGTH).join('').trim() || 'root';
}

/**
 * Removes an entry from a list of loci.yaml.
 * @param entry the name of the entry in messages
 * @throws LociError `conflict` if an environment variable sets the list
 */
export async function removeEntry(
  context: OperationContext,
  list: 'vaults' | 'sources',
  entry: string,
  matches: (entry: Json) => boolean,
): Promise<void> {
  const origin = (await context.loadConfig()).origins.get(list) ?? '';
  if (origin.startsWith('env ')) {
    const variable = origin.slice('env '.length);
    throw new LociError('conflict', `${variable} sets the ${list}, and still has ${entry}`, {
      hint: `Remove ${entry} from ${variable} first.`,
    });
  }
  await retryOnConflict(() => configRemove(list, matches, context), context.signal);
}

const MAX_ATTEMPTS = 20;
/** The pause after the first attempt. Each further pause is longer by the same amount. */
const PAUSE_MS = 50;

/**
 * Repeats work that fails with `conflict` because another process changes the same file.
 * @throws the errors of the work, `conflict` only after the last attempt; `aborted`
 */
export async function retryOnConflict<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isConflict = error instanceof LociError && error.code === 'conflict';
      if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
    }
    await wait(PAUSE_MS * attempt, undefined, { signal });
  }
}
