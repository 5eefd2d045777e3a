import { loadConfig } from '../../../config/load.ts';
import { HOST_COMMAND_VARIABLE } from '../../shared/command-names.ts';
import { HOST_READER_VARIABLE, type HostReader } from '../../shared/host-reader.ts';
import { namespaceOf } from '../host/agents.ts';
import { HOST_COMMAND } from '../host/messages.ts';
import { operatorTurn } from '../host/turn.ts';
import { memoryVaults, type Workspace } from './agent-workspaces.ts';
import { grantOf } from '../host/grant.ts';
import { parsePluginConfig } from './settings.ts';

interface CommandOf {
  readonly plugin: string;
  readonly pluginConfig: Readonly<Record<string, unknown>>;
  readonly workspaces: readonly Workspace[];
  /** The agent on whose behalf the command runs. */
  readonly agent?: string | undefined;
}

/**
 * The variables that tell a command the settings of the plugin and, if it runs on behalf of an agent, what that may recall: its own
 * namespace, its workspace, and the shared ones.
 */
export async function commandVariables({
  plugin,
  pluginConfig,
  workspaces,
  agent,
}: CommandOf): Promise<NodeJS.ProcessEnv> {
  const { settings, hostSettings } = parsePluginConfig(plugin, pluginConfig, workspaces);
  const { home } = settings;
  const variables = {
    ...(home !== undefined && { LOCI_HOME: home }),
    LOCI_HOST_SETTINGS: JSON.stringify(hostSettings),
    [HOST_COMMAND_VARIABLE]: HOST_COMMAND,
  };
  if (agent === undefined) return variables;
  const { values } = await loadConfig({ hostSettings, ...(home !== undefined && { home }) });
  const workspace = workspaces.find((each) => namespaceOf(each.agent) === namespaceOf(agent));
  const vaults = workspace === undefined || !settings.workspace.enabled ? [] : await memoryVaults(workspace);
  const reader: HostReader = {
    namespace: namespaceOf(agent, settings.agents),
    shared: [...grantOf(settings, { configured: values.namespace, peerKey: '' }, operatorTurn(agent)).shared],
    vaults: vaults.map(({ name = agent, path, include, pattern }) => ({
      name,
      path,
      ...(include !== undefined && { include: [...include] }),
      ...(pattern !== undefined && { pattern }),
    })),
  };
  return { ...variables, [HOST_READER_VARIABLE]: JSON.stringify(reader) };
}
