import type { VaultConfig } from '../../config/sources-schema.ts';
import { shortHash } from '../../core/ids.ts';
import { seersOf, type LocatedPool, type Pool } from '../pools/pool-set.ts';

const PREFIX = 'pool/';
const HASH_LENGTH = 16;
const READABLE_LENGTH = 60;

/**
 * How the namespaces of pools in the store begin. It is a space, so that they are those of no caller (`isSubject`, `label`): other
 * ways to the store know neither roles nor agents.
 */
export function namespacePrefix(configured: string): string {
  return ` pools/${configured}/`;
}

/**
 * The namespace of a pool. It is shared by the pools that the same agents see: the statistics of words, spelling and vectors are those of a
 * namespace, and would tell what is in pools that an agent does not see.
 */
export function poolNamespace(configured: string, pool: Pick<Pool, 'roles' | 'agents'>): string {
  const seers = seersOf(pool);
  return `${namespacePrefix(configured)}${seers === seersOf({}) ? 'all' : hash(seers)}`;
}

/**
 * A pool as a vault of the engine. Its name has the id and the folder, so that a pool that has moved is another source, of which
 * nothing is found before it is indexed. Other processes that have it at the old place find nothing of the new one either.
 */
export function poolVault(pool: LocatedPool): VaultConfig & { readonly name: string } {
  const name = `${namesOf(pool)}${hash(pool.root)}`;
  return { name, path: pool.root, otherFolders: pool.inner };
}

/** How the names of the sources of a pool begin, wherever its folder is. Ids may be of any characters, and differ in case only. */
export function namesOf({ id }: Pick<Pool, 'id'>): string {
  const readable = id.replaceAll(/[^\w.-]+/g, '_').slice(0, READABLE_LENGTH);
  return `${PREFIX}${readable}/${hash(id)}/`;
}

/** Whether a source is a pool. */
export function isPoolSource(name: string): boolean {
  return name.startsWith(PREFIX);
}

function hash(text: string): string {
  // A hash is of UTF-8, in which all lone surrogates are the same.
  return shortHash(JSON.stringify(text)).slice(0, HASH_LENGTH);
}
