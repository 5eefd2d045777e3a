import { readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { VaultConfig } from '../../../config/sources-schema.ts';
import { LociError } from '../../../core/errors.ts';
import type { EngineContext } from '../../../engine/context.ts';
import { ProblemLog } from '../host/messages.ts';

/** The folder of an agent, with the Markdown files that are its memory in OpenClaw. */
export interface Workspace {
  readonly agent: string;
  readonly folder: string;
  /** Files and folders outside of it that OpenClaw's own memory would index too. */
  readonly extraPaths: readonly ExtraPath[];
}

/** A file or a folder. With a pattern, only the files that it matches are memory. */
export interface ExtraPath {
  readonly path: string;
  readonly pattern?: string;
}

/** The files and folders of a workspace that are memory. */
const MEMORY_FILES: readonly string[] = ['MEMORY.md', 'USER.md', 'memory'];

interface AgentWorkspacesOptions {
  readonly list: () => readonly Workspace[];
  /** Whether the memory files of workspaces are indexed. */
  readonly hasFiles: boolean;
  /** The engine of the agent's namespace. */
  readonly loci: (agent: string) => Promise<EngineContext>;
  /** Indexes what was said in the conversations with an agent. */
  readonly readConversations: (agent: string) => Promise<void>;
  readonly intervalMs: number;
  readonly log: (message: string) => void;
}

/** Keeps the memory files and conversations of all agents indexed, each in a namespace of its agent. Only what has changed is read. */
export class AgentWorkspaces {
  readonly #options: AgentWorkspacesOptions;
  readonly #stop = new AbortController();
  readonly #problems: ProblemLog;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: AgentWorkspacesOptions) {
    this.#options = options;
    this.#problems = new ProblemLog(options.log);
  }

  start(): void {
    if (this.#stop.signal.aborted) return;
    void this.refresh().then(() => {
      if (this.#stop.signal.aborted) return;
      this.#timer = setTimeout(() => this.start(), this.#options.intervalMs).unref();
    });
  }

  /** Indexes what has changed of one agent, or of all, after a refresh that is running. Reports errors and never throws. */
  refresh(agent?: string): Promise<void> {
    this.#running = this.#running.then(() => this.#refreshAll(agent));
    return this.#running;
  }

  async close(): Promise<void> {
    this.#stop.abort(new LociError('aborted', 'the gateway is stopping'));
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  async #refreshAll(agent: string | undefined): Promise<void> {
    for (const workspace of this.#workspaces()) {
      const id = workspace.agent;
      if (agent !== undefined && id !== agent) continue;
      if (this.#stop.signal.aborted) return;
      if (this.#options.hasFiles)
        await this.#attempt(`the workspace of ${id} cannot be indexed`, () => this.#readFiles(workspace));
      await this.#attempt(`the conversations with ${id} cannot be indexed`, () =>
        this.#options.readConversations(id),
      );
    }
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#problems.solved(what);
    } catch (error) {
      if (error instanceof LociError && (error.code === 'aborted' || error.code === 'conflict')) return;
      this.#problems.report(what, error);
    }
  }

  #workspaces(): readonly Workspace[] {
    try {
      return this.#options.list();
    } catch (error) {
      this.#problems.report('the workspaces of all agents cannot be indexed', error);
      return [];
    }
  }

  async #readFiles(workspace: Workspace): Promise<void> {
    const { agent } = workspace;
    const vaults = await memoryVaults(workspace);
    if (vaults.length === 0) return;
    const loci = await this.#options.loci(agent);
    // A workspace may lose all of its memory files: its owner has removed them.
    const { indexVaults } = await import('../../../engine/reading/index-vaults.ts');
    await indexVaults(loci, { vaults, wait: false, allowEmpty: true, signal: this.#stop.signal });
  }
}

/** The memory files of a workspace, as vaults. Folders that do not exist are left out. */
export async function memoryVaults({ agent, folder, extraPaths }: Workspace): Promise<VaultConfig[]> {
  return [
    ...((await isFolder(folder)) ? [await workspaceVault(agent, folder)] : []),
    ...(await extraVaults(agent, extraPaths)),
  ];
}

/** The case of the names does not matter, as in OpenClaw. */
async function workspaceVault(agent: string, folder: string): Promise<VaultConfig> {
  const names = await readdir(folder).catch(() => []);
  const known = MEMORY_FILES.map((name) => name.toLowerCase());
  const include = [...MEMORY_FILES, ...names.filter((name) => known.includes(name.toLowerCase()))];
  return { name: `workspace of ${agent}`, path: folder, include: [...new Set(include)], trust: 'agent' };
}

async function extraVaults(agent: string, paths: readonly ExtraPath[]): Promise<VaultConfig[]> {
  const vaults = await Promise.all(
    paths.map(async ({ path, pattern }): Promise<VaultConfig[]> => {
      const found = await stat(path).catch(() => null);
      if (found === null) return [];
      if (!found.isDirectory())
        return [{ name: `${path} of ${agent}`, path: dirname(path), include: [basename(path)] }];
      return pattern === undefined
        ? [{ name: `${path} of ${agent}`, path }]
        : [{ name: `${path}/${pattern} of ${agent}`, path, pattern }];
    }),
  );
  return vaults.flat();
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() === true;
}
