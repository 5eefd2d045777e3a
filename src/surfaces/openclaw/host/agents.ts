import { resolve } from 'node:path';
import type { Workspace } from '../engine/agent-workspaces.ts';
import type { HostConfig, PluginApi } from './api.ts';
import { DEFAULT_AGENT } from './turn.ts';

/** The ids of the agents in the configuration of the host. Without any, there is one. */
export function agentIds({ agents }: HostConfig): readonly string[] {
  const ids = agents?.entries === undefined ? agents?.list?.map(({ id }) => id) : Object.keys(agents.entries);
  return ids === undefined || ids.length === 0 ? [DEFAULT_AGENT] : ids;
}

/** The workspaces of all agents, as the host locates them. */
export function workspacesOf({ runtime }: PluginApi): Workspace[] {
  const config = runtime.config.current();
  return agentIds(config).map((agent) => {
    const folder = runtime.agent.resolveAgentWorkspaceDir(config, agent);
    return { agent, folder, extraPaths: extraPaths(config, agent, folder) };
  });
}

/** The further files and folders of OpenClaw's own memory. Those that a pattern narrows are left out. */
export function extraPaths(config: HostConfig, agent: string, folder: string): string[] {
  const entry = config.agents?.entries?.[agent] ?? config.agents?.list?.find(({ id }) => id === agent);
  const configured = [
    ...(config.memory?.search?.extraPaths ?? []),
    ...(config.agents?.defaults?.memory?.search?.extraPaths ?? []),
    ...(entry?.memory?.search?.extraPaths ?? []),
  ];
  const paths = configured.flatMap((each) =>
    typeof each === 'string' ? [each] : each.pattern === undefined ? [each.path] : [],
  );
  return [...new Set(paths.map((path) => resolve(folder, path)))];
}

/** The name of the model that an agent uses unless a session has chosen another. */
export function configuredModel(config: HostConfig, agent: string): string | undefined {
  const entry = config.agents?.entries?.[agent] ?? config.agents?.list?.find(({ id }) => id === agent);
  const model = entry?.model ?? config.agents?.defaults?.model;
  return typeof model === 'string' ? model : model?.primary;
}

/** The namespace of an agent: the configured one, or `agent:ID`. */
export function namespaceOf(
  agent: string,
  agents: Readonly<Record<string, { readonly namespace?: string } | undefined>> = {},
): string {
  return (Object.hasOwn(agents, agent) ? agents[agent]?.namespace : undefined) ?? `agent:${agent}`;
}
