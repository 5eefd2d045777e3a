import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { approveSources } from '../../src/engine/reading/approve-sources.ts';
import { type SourceReport, sourceReports } from '../../src/engine/reading/reports.ts';
import type { RefreshedSource, SourcesApproveOutput } from '../../src/engine/reading/source-schemas.ts';
import { refreshSources } from '../../src/engine/reading/sources.ts';
import { openInline, settings, temporaryFolder } from './engines.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { search } from '../../src/engine/records/search.ts';

/** An engine with one source, the command `cat tasks.json`, and a clock that a test may set. */
export class TasksSource implements AsyncDisposable {
  readonly #folder: { path: string } & AsyncDisposable;
  now: number = Date.UTC(2026, 10, 22, 12);
  loci: EngineContext;

  private constructor(folder: { path: string } & AsyncDisposable, loci: EngineContext) {
    this.#folder = folder;
    this.loci = loci;
  }

  static async open(): Promise<TasksSource> {
    const folder = await temporaryFolder();
    const source = new TasksSource(folder, await openInline(settings(folder.path)));
    await source.setOutput([
      { id: 'a', text: 'Buy tile samples from Home Depot', completed: false, timestamp: '2026-11-23' },
      { id: 'b', text: 'Call the dentist', completed: true },
    ]);
    await source.reopen();
    return source;
  }

  get folder(): string {
    return this.#folder.path;
  }

  /** Sets what the command prints. */
  setOutput(documents: unknown): Promise<void> {
    const text = typeof documents === 'string' ? documents : JSON.stringify(documents);
    return writeFile(join(this.folder, 'tasks.json'), text);
  }

  /** Writes a file below the folder; returns its path. */
  async write(name: string, text = '', mode = 0o644): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    await chmod(path, mode);
    return path;
  }

  /** Opens the engine again, with other settings of the source. */
  reopen(sourceSettings: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const source = {
      id: 'tasks',
      name: 'Google Tasks',
      command: 'cat tasks.json',
      cwd: this.folder,
      ...sourceSettings,
    };
    return this.reopenWith({ sources: [source] });
  }

  async reopenWith(
    values: Readonly<Record<string, unknown>>,
    { home, ...options }: { readonly trustsSettings?: boolean; readonly home?: string } = {},
  ): Promise<void> {
    await this.loci.close();
    const config = settings(this.folder, { search: { minScore: 0 }, ...values });
    this.loci = await openInline(home === undefined ? config : { ...config, home }, {
      now: () => this.now,
      ...options,
    });
  }

  async refresh(): Promise<RefreshedSource> {
    const [result] = (await refreshSources(this.loci, {}, { isOwner: true })).sources;
    if (result === undefined) throw new Error('there is no source');
    return result;
  }

  /** The first line of the snippet of each result. */
  async firstLines(query: string): Promise<string[]> {
    return (await search(this.loci, { query })).results.map(({ snippet }) => snippet.split('\n')[0] ?? '');
  }

  async report(id = 'tasks'): Promise<SourceReport | undefined> {
    return (await sourceReports(this.loci)).find((source) => source.id === id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.loci.close();
    await this.#folder[Symbol.asyncDispose]();
  }
}

export async function approveSource(
  loci: EngineContext,
  id: string,
  fingerprint?: string,
): Promise<SourcesApproveOutput['approved'][number]> {
  const input = { ids: [id], ...(fingerprint !== undefined && { fingerprint }) };
  return (await approveSources(loci, input)).approved[0]!;
}
