import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { onTestFinished } from 'vitest';
import { createAdapter } from '../../src/adapters/create-adapter.ts';
import type { LociAdapter, MemoryPoolDefinition, MemoryQuery } from '../../src/adapters/contract.ts';
import type { JsonMap } from '../../src/core/json.ts';
import { LANCEDB } from './installation.ts';

interface Settings {
  readonly embedding?: JsonMap;
  readonly adapters?: JsonMap;
}

/** An adapter on the real LanceDB. */
export async function openLancedb(
  home: string,
  { embedding, adapters }: Settings = {},
): Promise<LociAdapter> {
  const settings = {
    memory: { adapter: 'lancedb' },
    embedding: { provider: 'none', ...embedding },
    adapters: { lancedb: { package: LANCEDB }, ...adapters },
  } as const;
  return createAdapter(settings, { home, onWarning: () => undefined });
}

/** Notes in a folder, and adapters that have their table in another one. Both are removed after the test. */
export class Notes {
  readonly home: string = temporaryFolder();
  readonly folder: string = temporaryFolder();

  /** Writes files, and the folders above them. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), text);
    }
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  pool(id: string, path: string = id): MemoryPoolDefinition {
    return { id, tier: 'hot', path: this.path(path) };
  }

  /** Where the tables are. */
  get tables(): string {
    return join(this.home, 'lancedb');
  }

  /** The folders of the tables. */
  tableFolders(): string[] {
    return readdirSync(this.tables)
      .filter((name) => name.endsWith('.lance'))
      .map((name) => join(this.tables, name));
  }

  async open(settings?: Settings): Promise<LociAdapter> {
    const adapter = await openLancedb(this.home, settings);
    onTestFinished(() => adapter.close());
    return adapter;
  }

  /** The paths that a query finds, best first. */
  async found(adapter: LociAdapter, query: string | Partial<MemoryQuery>): Promise<string[]> {
    const given = typeof query === 'string' ? { query } : query;
    const results = await adapter.recall({ agentId: 'main', query: 'heron', ...given });
    return results.map(({ id }) => relative(this.folder, id));
  }
}

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loci-lancedb-')));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return folder;
}
