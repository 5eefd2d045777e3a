import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { SourcesListOutput } from '../../src/engine/reading/source-schemas.ts';
import { loci, lociJson, type CommandResult, type RunOptions, temporaryFolder } from './loci-command.ts';

const DAY = 86_400_000;

/** Noon of tomorrow in the local time zone. */
function tomorrow(): string {
  const at = new Date(Date.now() + DAY);
  at.setHours(12, 0, 0, 0);
  return at.toISOString();
}

const TASKS: readonly Readonly<Record<string, unknown>>[] = [
  { id: 'tiles', text: 'Buy tile samples from Home Depot', completed: false, timestamp: tomorrow() },
  { id: 'dentist', text: 'Call the dentist about the cleaning', completed: true },
];

/** The source of most tests: the command `cat tasks.json` in the home. */
export const GOOGLE_TASKS = { id: 'tasks', name: 'Google Tasks', command: 'cat tasks.json' } as const;

/** A home folder with sources in its settings, for the command line. */
export class SourcesHome {
  readonly path: string = temporaryFolder();

  constructor(settings: Readonly<Record<string, unknown>> | string = { sources: [GOOGLE_TASKS] }) {
    this.configure(settings);
    this.writeOutput(TASKS);
  }

  configure(settings: Readonly<Record<string, unknown>> | string): void {
    const text = typeof settings === 'string' ? settings : stringify(settings);
    writeFileSync(join(this.path, 'loci.yaml'), text);
  }

  /** Writes a file, by default the one that `cat tasks.json` prints. */
  writeOutput(documents: unknown, file = 'tasks.json'): void {
    writeFileSync(
      join(this.path, file),
      typeof documents === 'string' ? documents : JSON.stringify(documents),
    );
  }

  run(args: readonly string[], options: Omit<RunOptions, 'home'> = {}): Promise<CommandResult> {
    return loci(args, { home: this.path, ...options });
  }

  json<Output>(...args: readonly string[]): Promise<Output> {
    return lociJson<Output>(args, { home: this.path });
  }

  /** The id and the condition of each source. */
  async conditions(): Promise<[id: string, condition: string][]> {
    const { sources } = await this.json<SourcesListOutput>('sources', 'list');
    return sources.map(({ id, condition }) => [id, condition]);
  }

  /** Approves and refreshes these sources. */
  async approveAndRefresh(...ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.json('sources', 'approve', id);
    await this.json('sources', 'refresh', ...ids);
  }

  /** Searches, and returns the origins and texts of the results, best first. */
  async search(query: string, ...options: readonly string[]): Promise<[from: string | null, text: string][]> {
    const { results } = await this.json<{
      results: readonly { readonly from: string | null; readonly snippet: string }[];
    }>('search', query, ...options);
    return results.map(({ from, snippet }) => [from, snippet]);
  }
}
