import { realpath, stat } from 'node:fs/promises';
import { basename, relative, resolve, sep } from 'node:path';
import { configAppend } from '../../config/edit.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { expandHome } from '../../config/paths.ts';
import { isJsonMap } from '../../core/json.ts';
import { nameKey, type VaultConfig } from '../../config/sources-schema.ts';
import { vaultName } from '../../engine/vaults/vault-names.ts';
import { LociError } from '../../core/errors.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import type { Json } from '../../core/types.ts';
import { shortHash } from '../../core/ids.ts';
import type { OperationContext } from '../operation.ts';
import { retryOnConflict, removeEntry } from '../shared/edit-config.ts';

export interface NamedVault extends VaultConfig {
  readonly name: string;
}

/** The configured vaults, each with the name that its records carry: no two have the same. */
export function namedVaults({ values }: LoadedConfig): NamedVault[] {
  return values.vaults.map((vault) => ({ ...vault, name: vaultName(vault) }));
}

export interface PlacedFolders {
  readonly vaults: readonly NamedVault[];
  /** Those of them that are not in the configuration. */
  readonly unknown: readonly NamedVault[];
}

/**
 * The vaults that folders are: configured ones by their real path, others with a name of their own. A folder that is
 * read only `once` is named after its path too, so that no other folder's records are taken for its own.
 * @throws LociError `unreadable` for what is no folder, `conflict` for one inside or around a configured vault
 */
export async function placeFolders(
  paths: readonly string[],
  config: LoadedConfig,
  once: boolean,
): Promise<PlacedFolders> {
  const known = await Promise.all(
    namedVaults(config).map(async (vault) => ({
      ...vault,
      real: await realpath(vault.path).catch(() => vault.path),
    })),
  );
  const placed = new Map<string, NamedVault>();
  const unknown: NamedVault[] = [];
  for (const path of paths) {
    const real = await realFolder(path);
    if (placed.has(real)) continue;
    const configured = known.find((vault) => vault.real === real);
    if (configured === undefined)
      refuseOverlap(real, [...known, ...[...placed].map(([at, { name }]) => ({ name, real: at }))]);
    const taken = [
      ...config.values.sources.map(({ id }) => id),
      ...[...known, ...placed.values()].map(({ name }) => name),
    ];
    const vault = configured ?? { name: once ? nameByPath(real) : freeName(real, taken), path: real };
    if (configured === undefined) unknown.push(vault);
    placed.set(real, vault);
  }
  return { vaults: [...placed.values()], unknown };
}

/** Adds vaults to loci.yaml. Answers what the owner should know about it. */
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

/**
 * Takes a vault out of loci.yaml.
 * @throws LociError `conflict` when the environment names the vaults
 */
export async function removeVault(context: OperationContext, vault: string): Promise<void> {
  const isMeant = (entry: Json): boolean => {
    if (!isJsonMap(entry)) return false;
    const { name, path } = entry;
    return (
      (name ?? (typeof path === 'string' ? basename(resolve(context.home, expandHome(path))) : '')) === vault
    );
  };
  await removeEntry(context, 'vaults', vault, isMeant);
}

async function realFolder(path: string): Promise<string> {
  const absolute = resolve(expandHome(path));
  try {
    const real = await realpath(absolute);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    const missing = systemErrorCode(error) === 'ENOENT';
    const what = missing
      ? `there is no folder ${absolute}`
      : `${absolute} cannot be read: ${describeFileError(error)}`;
    throw new LociError('unreadable', what, { cause: error });
  }
  throw new LociError('unreadable', `${absolute} is not a folder`, {
    hint: 'Name the folder that holds your notes.',
  });
}

function refuseOverlap(
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
          : 'Take that vault out of loci.yaml first; otherwise its notes would be found twice.',
      },
    );
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}

function freeName(path: string, taken: readonly string[]): string {
  const keys = new Set(taken.map(nameKey));
  const name = folderName(path);
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}-${String(count)}`;
    if (!keys.has(nameKey(candidate))) return candidate;
  }
}

function nameByPath(path: string): string {
  return `${folderName(path)}-${shortHash(path).slice(0, 6)}`;
}

/** Longest name of a vault, less room for what makes it unique. */
const NAME_LENGTH = 100;

/** Colons part the source from the path in a citation. */
function folderName(path: string): string {
  const name = basename(path).normalize('NFC').replaceAll(/[:#]/g, '-').trim();
  return [...name].slice(0, NAME_LENGTH).join('').trim() || 'root';
}
