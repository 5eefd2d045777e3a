import { loadConfig } from '../../../config/load.ts';
import { HOST_READER_VARIABLE, type HostReader } from '../../shared/host-reader.ts';
import { namespaceOf } from '../host/agents.ts';
import { operatorTurn } from '../host/turn.ts';
import { memoryVaults, type Workspace } from './agent-workspaces.ts';
import { grantOf } from '../host/grant.ts';
import { parsePluginConfig } from './settings.ts';

interface ReaderRequest {
  readonly plugin: string;
  readonly pluginConfig: Readonly<Record<string, unknown>>;
  readonly agent: string;
  readonly workspace: Workspace | undefined;
}

/** The variable that tells a command what an agent may recall: its own namespace, its workspace, and the shared ones. */
export async function readerVariable({
  plugin,
  pluginConfig,
  agent,
  workspace,
}: ReaderRequest): Promise<NodeJS.ProcessEnv> {
  const { settings, hostSettings } = parsePluginConfig(plugin, pluginConfig);
  const { home } = settings;
  const { values } = await loadConfig({ hostSettings, ...(home !== undefined && { home }) });
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
  return { [HOST_READER_VARIABLE]: JSON.stringify(reader) };
}
