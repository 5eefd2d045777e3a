import { configHome } from '../../../config/load.ts';
import { parsePluginConfig } from '../engine/settings.ts';
import { changeKeys, PLUGIN } from './changes.ts';
import type { ConfigFiles } from './config-files.ts';
import { gatewayPort, isListening } from './gateway.ts';
import { assertBuilt, isThisPackage } from './package.ts';
import type { HostAgent, HostPlugin } from './program.ts';
import { lociHomeOf, loadHostConfig, pluginConfig, type Session } from './session.ts';

/** Everything that is known before anything is changed. */
export interface Plan {
  readonly version: string;
  readonly files: ConfigFiles;
  readonly home: string;
  readonly agents: readonly HostAgent[];
  /** The plugin as it is installed; `null` if it is not. */
  readonly installed: HostPlugin | null;
  /** Whether the package has to be installed, because it is missing or another build. */
  readonly installs: boolean;
  /** Whether a gateway runs, which then loads the plugin itself. */
  readonly isRunning: boolean;
}

/** Checks all that can be checked without a change. */
export async function makePlan(session: Session): Promise<Plan> {
  const { openclaw, io } = session;
  assertBuilt();
  await openclaw.assertNode();
  const version = await openclaw.version();
  const files = await loadHostConfig(session);
  const [plugins, agents] = await Promise.all([openclaw.plugins(), openclaw.agents()]);
  const values = files.values();
  const home = lociHomeOf(session, values);
  // A gateway that is a service does not have the variables of this terminal.
  const isNamed = home !== configHome({ env: {} }) && pluginConfig(values)['home'] === undefined;
  changeKeys(files, isNamed ? home : null);
  parsePluginConfig(PLUGIN, pluginConfig(files.values()));
  const installed = plugins.find(({ id }) => id === PLUGIN) ?? null;
  const installs = installed === null || !(await isThisPackage(installed.rootDir));
  const isRunning = await isListening(gatewayPort(values, io.env));
  return { version, files, home, agents, installed, installs, isRunning };
}
