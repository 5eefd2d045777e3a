import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { shortHash } from '../../core/ids.ts';
import { seersOf, type LocatedPool, type Pool } from '../pools/pool-set.ts';
import { folderIdOf } from './index-pool.ts';
import { PassageTable, type TableOptions } from './passage-table.ts';

/** A table of Loci, and the beginning of its name, which is that of a model. The folder may have other tables. */
const OWN_TABLE = /^((passages-[0-9a-f]{12})(?:-[0-9a-f]{12})?)\.lance$/;

/** The pools of a table, which the same agents see. */
export interface PoolGroup<P extends Pool = LocatedPool> {
  readonly table: PassageTable;
  readonly pools: readonly P[];
}

/**
 * The tables of a model, one for each group of pools that the same agents see: the frequencies of words are those of a table, and would
 * tell what is in pools that an agent does not see.
 */
export class PoolTables {
  readonly #options: TableOptions;
  readonly #model: string;
  readonly #open = new Map<string, PassageTable>();
  /** Those that were opened to write: their columns and their index are as they must be. */
  readonly #usable = new Set<string>();

  /** @param model how the names of its tables begin */
  constructor(model: string, options: TableOptions) {
    this.#model = model;
    this.#options = options;
  }

  /** The tables that are open, by name. */
  get open(): ReadonlyMap<string, PassageTable> {
    return this.#open;
  }

  nameOf(pool: Pick<Pool, 'roles' | 'agents'>): string {
    return `${this.#model}-${shortHash(seersOf(pool)).slice(0, 12)}`;
  }

  /** Where the notes of a pool are, as processes tell each other. */
  placeOf(pool: LocatedPool): string {
    return `${this.nameOf(pool)}/${folderIdOf(pool.root)}`;
  }

  /** The tables of pools, as far as there are any. */
  async toRead<P extends Pool>(pools: readonly P[]): Promise<PoolGroup<P>[]> {
    const groups: PoolGroup<P>[] = [];
    for (const [name, those] of Map.groupBy(pools, (pool) => this.nameOf(pool))) {
      const opened = this.#open.get(name) ?? (await PassageTable.openToRead(name, this.#options));
      if (opened === null) continue;
      // It may have been opened to write meanwhile, and writes of one object wait for each other.
      const table = this.#open.get(name) ?? opened;
      this.#open.set(name, table);
      groups.push({ table, pools: those });
    }
    return groups;
  }

  /**
   * All tables, with the pools that they are to have. One without pools is emptied by its caller, because queries may read it, and is
   * removed the next time.
   * @param options.isWhole whether tables that are not open count too
   */
  async toWrite(
    pools: readonly LocatedPool[],
    { isWhole }: { readonly isWhole: boolean },
  ): Promise<PoolGroup[]> {
    const byName = Map.groupBy(pools, (pool) => this.nameOf(pool));
    const stored = isWhole ? await this.#stored() : [];
    const groups: PoolGroup[] = [];
    for (const name of new Set([...byName.keys(), ...this.#open.keys(), ...stored])) {
      const table = await this.openToWrite(name);
      const byRoot = new Map(byName.get(name)?.map((pool) => [pool.root, pool]));
      if (byRoot.size === 0 && (await table.count()) === 0) await this.#remove(name);
      else groups.push({ table, pools: [...byRoot.values()] });
    }
    return groups;
  }

  /** Opens a table, or makes it if there is none, or if it is damaged. */
  async openToWrite(name: string, { isDamaged = false } = {}): Promise<PassageTable> {
    const opened = isDamaged || !this.#usable.has(name) ? undefined : this.#open.get(name);
    const table = opened ?? (await PassageTable.openToWrite(name, { ...this.#options, isDamaged }));
    this.#open.set(name, table);
    this.#usable.add(name);
    return table;
  }

  /** The names of all tables of the model. Those of other models are removed: what they have is derived. */
  async #stored(): Promise<string[]> {
    const own: string[] = [];
    for (const entry of readdirSync(this.#options.folder)) {
      const [, name, model] = OWN_TABLE.exec(entry) ?? [];
      if (name === undefined) continue;
      if (model === this.#model && name !== model) own.push(name);
      else await this.#remove(name);
    }
    return own;
  }

  async #remove(name: string): Promise<void> {
    this.#open.get(name)?.close();
    this.#open.delete(name);
    this.#usable.delete(name);
    await rm(path.join(this.#options.folder, `${name}.lance`), { recursive: true, force: true });
  }

  /** Opens tables again when they are needed: another process may have made others. */
  forget(): void {
    this.#open.clear();
    this.#usable.clear();
  }

  close(): void {
    for (const table of this.#open.values()) table.close();
    this.forget();
  }
}

export function foldersOf(pools: readonly LocatedPool[]): string[] {
  return pools.map(({ root }) => folderIdOf(root));
}

/** The tables with vectors that other tables may need, because other agents see a pool than before. */
export async function tablesLeft(groups: readonly PoolGroup[]): Promise<PassageTable[]> {
  const left: PassageTable[] = [];
  for (const { table, pools } of groups)
    if ((await table.countOthers(foldersOf(pools))) > 0) left.push(table);
  return left;
}
