import { resolve } from 'node:path';
import { expandHome } from '../../../config/paths.ts';
import type { ExtraPath, Workspace } from '../engine/agent-workspaces.ts';
import type { HostConfig, PluginApi } from './api.ts';
import { DEFAULT_AGENT } from './turn.ts';

/** The id of an agent as the host uses it everywhere but in its configuration. */
export function normalized(id: string): string {
  const plain = id
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return plain.slice(0, 64) || DEFAULT_AGENT;
}

type AgentEntry = NonNullable<NonNullable<NonNullable<HostConfig['agents']>['entries']>[string]>;

/** The agents in the configuration of the host, by their ids. */
function agentEntries({ agents }: HostConfig): ReadonlyMap<string, AgentEntry> {
  const entries =
    agents?.entries === undefined
      ? (agents?.list ?? []).map((entry) => [entry.id, entry] as const)
      : Object.entries(agents.entries).map(([id, entry]) => [id, entry ?? {}] as const);
  return new Map(entries.map(([id, entry]) => [normalized(id), entry]));
}

/** The ids of the agents in the configuration of the host. Without any, there is one. */
export function agentIds(config: HostConfig): readonly string[] {
  const ids = [...agentEntries(config).keys()];
  return ids.length === 0 ? [DEFAULT_AGENT] : ids;
}

/** The workspaces of all agents, as the host locates them. */
export function workspacesOf({ runtime }: PluginApi): Workspace[] {
  const config = runtime.config.current();
  return agentIds(config).map((agent) => {
    const folder = runtime.agent.resolveAgentWorkspaceDir(config, agent);
    return { agent, folder, extraPaths: extraPaths(config, agent, folder) };
  });
}

/** The further files and folders of OpenClaw's own memory. */
export function extraPaths(config: HostConfig, agent: string, folder: string): ExtraPath[] {
  const entry = agentEntries(config).get(agent);
  const configured = [
    ...(config.memory?.search?.extraPaths ?? []),
    ...(config.agents?.defaults?.memory?.search?.extraPaths ?? []),
    ...(entry?.memory?.search?.extraPaths ?? []),
  ];
  const paths = configured.map((each): ExtraPath => {
    const { path, pattern } = typeof each === 'string' ? { path: each, pattern: undefined } : each;
    const absolute = resolve(folder, expandHome(path));
    // The host has patterns with `/` too.
    return pattern === undefined
      ? { path: absolute }
      : { path: absolute, pattern: pattern.replaceAll('\\', '/').normalize('NFC') };
  });
  return [...new Map(paths.map((each) => [JSON.stringify(each), each])).values()];
}

/** The name of the model that an agent uses unless a session has chosen another. */
export function configuredModel(config: HostConfig, agent: string): string | undefined {
  const entry = agentEntries(config).get(agent);
  const model = entry?.model ?? config.agents?.defaults?.model;
  return typeof model === 'string' ? model : model?.primary;
}

/**
 * Whether the host remembers the private conversations of an agent: as `rememberAcrossConversations` says, else if all direct
 * messages of the agent are one session.
 */
export function areConversationsRemembered(config: HostConfig, agent: string): boolean {
  const { memory, session, bindings } = config;
  const explicit =
    agentEntries(config).get(normalized(agent))?.memory?.search?.rememberAcrossConversations ??
    memory?.search?.rememberAcrossConversations;
  if (explicit !== undefined) return explicit;
  const isOneSession = session?.dmScope === undefined || session.dmScope === 'main';
  return isOneSession && bindings?.some((each) => each.session?.dmScope !== undefined) !== true;
}

/** The namespace of an agent: the configured one, or `agent:ID`. */
export function namespaceOf(
  agent: string,
  agents: Readonly<Record<string, { readonly namespace?: string } | undefined>> = {},
): string {
  const wanted = normalized(agent);
  const [, configured] = Object.entries(agents).find(([id]) => normalized(id) === wanted) ?? [];
  return configured?.namespace ?? `agent:${wanted}`;
}
