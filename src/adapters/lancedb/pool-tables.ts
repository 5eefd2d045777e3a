import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { shortHash } from '../../core/ids.ts';
import { seersOf, type LocatedPool, type Pool } from '../pools/pool-set.ts';
import { folderIdOf, PassageTable, type TableOptions } from './passage-table.ts';

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

  /** @param model how the names of its tables begin */
  constructor(model: string, options: TableOptions) {
    this.#model = model;
    this.#options = options;
  }

  get open(): readonly PassageTable[] {
    return [...this.#open.values()];
  }

  #nameOf(pool: Pick<Pool, 'roles' | 'agents'>): string {
    return `${this.#model}-${shortHash(seersOf(pool)).slice(0, 12)}`;
  }

  /** Where the notes of a pool are, as processes tell each other. */
  placeOf(pool: LocatedPool): string {
    return `${this.#nameOf(pool)}/${folderIdOf(pool.root)}`;
  }

  /** The tables of pools, as far as there are any. */
  async toRead<P extends Pool>(pools: readonly P[]): Promise<PoolGroup<P>[]> {
    const groups: PoolGroup<P>[] = [];
    for (const [name, those] of Map.groupBy(pools, (pool) => this.#nameOf(pool))) {
      const opened = this.#open.get(name) ?? (await PassageTable.open(name, this.#options));
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
   * removed the next time. Those of other models are removed.
   */
  async toWrite(pools: readonly LocatedPool[]): Promise<PoolGroup[]> {
    const byName = Map.groupBy(pools, (pool) => this.#nameOf(pool));
    const groups: PoolGroup[] = [];
    for (const name of new Set([...byName.keys(), ...this.#stored()])) {
      if (!name.startsWith(`${this.#model}-`)) {
        await this.#remove(name);
        continue;
      }
      const table = this.#open.get(name) ?? (await PassageTable.openOrMake(name, this.#options));
      this.#open.set(name, table);
      const byRoot = new Map(byName.get(name)?.map((pool) => [pool.root, pool]));
      if (byRoot.size === 0 && (await table.count()) === 0) await this.#remove(name);
      else groups.push({ table, pools: [...byRoot.values()] });
    }
    return groups;
  }

  /** The names of the tables of all models. */
  #stored(): string[] {
    return readdirSync(this.#options.folder).flatMap((entry) => OWN_TABLE.exec(entry)?.[1] ?? []);
  }

  /** What tables have is derived. */
  async removeAll(): Promise<void> {
    for (const name of this.#stored()) await this.#remove(name);
  }

  async #remove(name: string): Promise<void> {
    this.#open.get(name)?.close();
    this.#open.delete(name);
    await rm(path.join(this.#options.folder, `${name}.lance`), { recursive: true, force: true });
  }

  /** Opens tables again when they are needed: another process may have made others. */
  forget(): void {
    this.#open.clear();
  }

  close(): void {
    for (const table of this.open) table.close();
    this.forget();
  }
}
