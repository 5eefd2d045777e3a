import { LociError } from '../../../core/errors.ts';
import type { JsonMap } from '../../../core/json.ts';
import type { ProgressOptions } from '../../../core/progress.ts';
import { createContext } from '../../../operations/context.ts';
import { formatVaultChanges } from '../../../engine/reading/vault-states.ts';
import { memoryVaults, type Workspace } from '../engine/agent-workspaces.ts';
import { GatewayEngine } from '../engine/engine.ts';
import { parsePluginConfig } from '../engine/settings.ts';
import { extraPaths } from '../host/agents.ts';
import type { HostConfig } from '../host/api.ts';
import { PLUGIN } from './plugin-keys.ts';
import type { HostAgent } from './program.ts';

/** The files of an agent's memory that were indexed. */
export interface IndexedWorkspace {
  readonly agent: string;
  readonly folder: string;
  readonly files: number;
  readonly problems: readonly string[];
}

/** The workspaces of agents, as the plugin finds them. */
export function workspacesIn(values: JsonMap, agents: readonly HostAgent[]): Workspace[] {
  return agents.map(({ id, workspace }) => ({
    agent: id,
    folder: workspace,
    extraPaths: extraPaths(values as HostConfig, id, workspace),
  }));
}

/**
 * Indexes the memory files of all agents as the plugin does, each in the namespace of its agent. Where the embedding provider does not
 * answer, words find them until the gateway has embedded them.
 */
export async function indexMemory(
  config: JsonMap,
  workspaces: readonly Workspace[],
  options: ProgressOptions,
): Promise<IndexedWorkspace[]> {
  const engine = await GatewayEngine.open({
    plugin: PLUGIN,
    config,
    workspaces: () => workspaces,
    log: () => undefined,
  });
  try {
    const indexed: IndexedWorkspace[] = [];
    if (!engine.settings.workspace.enabled) return indexed;
    const [{ indexVaults }, { embedNew }] = await Promise.all([
      import('../../../engine/reading/index-vaults.ts'),
      import('../../../engine/reading/embed-new.ts'),
    ]);
    for (const workspace of workspaces) {
      const { agent, folder } = workspace;
      const vaults = await memoryVaults(workspace);
      const loci = await engine.loci(engine.namespaceOf(agent));
      const { sources } = await indexVaults(loci, { vaults, allowEmpty: true, embed: false, ...options });
      indexed.push({
        agent,
        folder,
        files: sources.reduce((sum, { seen }) => sum + seen, 0),
        problems: sources.flatMap(({ problems }) => problems.map(({ key, detail }) => `${key}: ${detail}`)),
      });
    }
    const problem = await embedNew(await engine.loci(), options).then(
      () => null,
      (error: unknown) => {
        if (!(error instanceof LociError) || error.code !== 'embedding_unavailable') throw error;
        return `found by their words for now: ${error.message}`;
      },
    );
    const problems = problem === null ? [] : [problem];
    return indexed.map((each) => ({ ...each, problems: [...each.problems, ...problems] }));
  } finally {
    await engine.close();
  }
}

/** How the memory files of an agent differ from the index. */
export interface WorkspaceState {
  readonly agent: string;
  readonly folder: string;
  /** In words; empty if nothing has changed since they were read. */
  readonly changes: string;
  readonly wasRead: boolean;
}

/** Compares the memory files of all agents with the index. @throws LociError the errors of opening the store */
export async function workspaceStates(
  config: JsonMap,
  home: string,
  workspaces: readonly Workspace[],
): Promise<WorkspaceState[]> {
  const { settings, hostSettings } = parsePluginConfig(PLUGIN, config);
  const context = createContext({ home, caller: OWNER, hostSettings, inlineStore: true });
  try {
    const { vaultStates } = await import('../../../engine/reading/vault-states.ts');
    const loci = await context.loci();
    return await Promise.all(
      workspaces.map(async (workspace) => {
        const { agent, folder } = workspace;
        const namespace = settings.agents[agent]?.namespace ?? `agent:${agent}`;
        const vaults = await vaultStates(
          loci.as({ ...loci.caller, namespace }),
          await memoryVaults(workspace),
        );
        const changes = vaults.flatMap((each) =>
          each.changes === null ? [] : formatVaultChanges(each.changes),
        );
        const wasRead = vaults.every(({ last_read }) => last_read !== null);
        return { agent, folder, changes: changes.filter((each) => each !== '').join(', '), wasRead };
      }),
    );
  } finally {
    await context.close();
  }
}

const OWNER = { surface: 'cli', trust: 'operator' } as const;
