import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { isWithin } from '../../sources/files/paths.ts';
import type { MemoryPoolDefinition, MemoryQuery, MemoryTier } from '../contract.ts';

export const TIERS: readonly [MemoryTier, ...MemoryTier[]] = ['hot', 'warm', 'cold'];
export const DEFAULT_TIERS: readonly MemoryTier[] = ['hot', 'warm'];
export const DEFAULT_LIMIT = 10;
const MAX_POOLS = 1000;

const name = () => z.string().min(1).max(256);

const poolDefinition = z.strictObject({
  id: name(),
  tier: z.enum(TIERS),
  path: z
    .string()
    .min(1)
    .max(4096)
    .refine((each) => !each.includes('\0'), 'a path has no NUL'),
  roles: z.array(name()).exactOptional(),
  agents: z.array(name()).exactOptional(),
});

/** A pool with its place. */
export interface Pool extends MemoryPoolDefinition {
  /** The absolute path of its folder. Links in it are not resolved. */
  readonly folder: string;
}

/** Who sees a pool, as a text: pools have the same one exactly if they name the same roles and agents. */
export function seersOf({ roles = [], agents = [] }: Pick<Pool, 'roles' | 'agents'>): string {
  return JSON.stringify([roles, agents].map((names) => [...new Set(names)].sort()));
}

/** A pool whose folder exists. */
export interface LocatedPool extends Pool {
  /** The folder without links. */
  readonly root: string;
  /** Where other pools below it are, also if they cannot be used. What is in them belongs to those pools alone. */
  readonly inner: readonly string[];
}

/** Roles by agent. */
export type AgentRoles = Readonly<Record<string, readonly string[]>>;

export interface PoolSetOptions {
  readonly vaultRoot?: string | undefined;
  readonly roles?: AgentRoles | undefined;
  /** The set before this one. */
  readonly previous?: PoolSet | undefined;
}

/** The pools that are registered. A new list makes a new set. */
export class PoolSet {
  readonly definitions: readonly MemoryPoolDefinition[];
  readonly pools: readonly Pool[];
  readonly #vaultRoot: string | undefined;
  readonly #roles: AgentRoles;
  /** Where folders have led to, because a link may be missing for a moment. */
  readonly #lastRoots = new Map<string, string>();

  /** @throws LociError `invalid_input` that names the pool and what is wrong with it */
  constructor(
    definitions: readonly MemoryPoolDefinition[],
    { vaultRoot, roles = {}, previous }: PoolSetOptions = {},
  ) {
    this.#vaultRoot = vaultRoot === undefined ? undefined : path.resolve(vaultRoot);
    this.#roles = roles;
    this.definitions = parsedPools(definitions);
    this.pools = this.definitions.map((pool) => ({ ...pool, folder: this.#folderOf(pool) }));
    if (previous === undefined) return;
    for (const { folder } of this.pools) {
      const root = previous.#lastRoots.get(folder);
      if (root !== undefined) this.#lastRoots.set(folder, root);
    }
  }

  equals(other: PoolSet): boolean {
    return isDeepStrictEqual(this.pools, other.pools);
  }

  /** The pools that a query searches: those that the agent sees, narrowed by ids and tiers. */
  searchedBy({ agentId, poolIds, tiers = DEFAULT_TIERS }: MemoryQuery): Pool[] {
    return this.seenBy(agentId).filter(
      ({ id, tier }) => tiers.includes(tier) && poolIds?.includes(id) !== false,
    );
  }

  /** The pools that name the agent or one of its roles, and those that name nobody. */
  seenBy(agentId: string): Pool[] {
    const ownRoles = Object.hasOwn(this.#roles, agentId) ? this.#roles[agentId]! : [];
    return this.pools.filter(({ roles = [], agents = [] }) => {
      if (roles.length === 0 && agents.length === 0) return true;
      return agents.includes(agentId) || roles.some((role) => ownRoles.includes(role));
    });
  }

  /**
   * Finds the folders of these pools.
   * @param report called with the pool and the reason if a folder does not exist or may not be used
   */
  async locate(pools: readonly Pool[], report: (pool: Pool, why: string) => void): Promise<LocatedPool[]> {
    const roots = new Map<string, string>();
    const places = new Set<string>();
    const vault = await realpath(this.#vaultRoot ?? '/').catch(() => null);
    await Promise.all(
      this.pools.map(async (pool) => {
        const { folder, id } = pool;
        places.add(folder).add(await withRealParent(folder));
        try {
          const real = await realpath(folder);
          this.#lastRoots.set(folder, real);
          assertUsable(pool, real, vault);
          roots.set(id, real);
        } catch (error) {
          if (pools.includes(pool)) report(pool, describeFileError(error));
        }
        const lastRoot = this.#lastRoots.get(folder);
        if (lastRoot !== undefined) places.add(lastRoot);
      }),
    );
    return pools.flatMap((pool) => {
      const root = roots.get(pool.id);
      if (root === undefined) return [];
      const inner = [...places].filter((place) => place !== root && isWithin(root, place)).sort();
      return [{ ...pool, root, inner }];
    });
  }

  /** The pools whose folders are there. */
  located(): Promise<LocatedPool[]> {
    return this.locate(this.pools, () => undefined);
  }

  /** Those of them that have a part of these absolute paths. */
  async locatedAt(paths: readonly string[]): Promise<LocatedPool[]> {
    const meets = (folder: string): boolean =>
      paths.some((path) => isWithin(folder, path) || isWithin(path, folder));
    return (await this.located()).filter(({ folder, root }) => meets(folder) || meets(root));
  }

  /** A sentence for each of these pools whose folder cannot be used. */
  async problemsOf(pools: readonly Pool[]): Promise<string[]> {
    const problems: string[] = [];
    await this.locate(pools, ({ id, folder }, why) => {
      problems.push(`the pool ${id} is empty: ${folder} cannot be read: ${why}`);
    });
    return problems;
  }

  /** @throws LociError `invalid_input` */
  #folderOf({ id, path: given }: MemoryPoolDefinition): string {
    if (path.isAbsolute(given)) return path.resolve(given);
    if (this.#vaultRoot === undefined)
      throw invalidPool(
        id,
        `its path ${JSON.stringify(given)} is relative, and there is no root of the vault`,
      );
    const folder = path.resolve(this.#vaultRoot, given);
    if (isWithin(this.#vaultRoot, folder)) return folder;
    throw invalidPool(id, `its path ${JSON.stringify(given)} leads out of the root of the vault`);
  }
}

/** What a status says of a pool whose notes the index does not have. */
export function notIndexed({ id }: Pool): string {
  return `the pool ${id} is not indexed: another process may have registered other pools`;
}

function assertUsable(pool: Pool, root: string, vault: string | null): void {
  if (path.isAbsolute(pool.path) || (vault !== null && isWithin(vault, root))) return;
  throw new Error('a link leads out of the root of the vault');
}

/** The path of a folder without the links of the folders above it, as far as those exist. */
async function withRealParent(folder: string): Promise<string> {
  for (let parent = path.dirname(folder); ; parent = path.dirname(parent)) {
    const real = parent === path.dirname(parent) ? parent : await realpath(parent).catch(() => null);
    if (real !== null) return path.join(real, path.relative(parent, folder));
  }
}

function parsedPools(definitions: readonly MemoryPoolDefinition[]): MemoryPoolDefinition[] {
  if (!Array.isArray(definitions)) throw new LociError('invalid_input', 'the pools are no list');
  if (definitions.length > MAX_POOLS)
    throw new LociError('invalid_input', `there are more than ${String(MAX_POOLS)} pools`);
  const ids = new Set<string>();
  return definitions.map((given: unknown, i) => {
    const { data, error } = poolDefinition.safeParse(withoutUndefined(given));
    const id = (given as { id?: unknown } | null)?.id;
    const label = typeof id === 'string' && id !== '' ? id : `number ${String(i + 1)}`;
    if (data === undefined) {
      const [issue] = error.issues;
      throw invalidPool(label, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
    }
    if (ids.has(data.id)) throw invalidPool(data.id, 'another pool has the same id');
    ids.add(data.id);
    return data;
  });
}

function withoutUndefined(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}

function invalidPool(id: string, why: string): LociError {
  return new LociError('invalid_input', `the pool ${JSON.stringify(id)} is not valid: ${why}`);
}
