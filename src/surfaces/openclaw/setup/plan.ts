import { configHome } from '../../../config/load.ts';
import { LociError } from '../../../core/errors.ts';
import { parsePluginConfig } from '../engine/settings.ts';
import { Backup, type Manifest } from './backup.ts';
import { assertStays, changeKeysBeside } from './beside.ts';
import { changeKeys, CORPUS_PLUGIN, PLUGIN } from './config/changes.ts';
import type { ConfigFiles } from './config/config-files.ts';
import { gatewayPort, isListening } from './gateway.ts';
import { assertBuilt, isThisPackage, pluginFolder } from './package.ts';
import type { HostAgent } from './program.ts';
import { lociHomeOf, loadHostConfig, pluginConfig, type Session } from './session.ts';

/** Everything that is known before anything is changed. */
export interface Plan {
  readonly version: string;
  readonly files: ConfigFiles;
  readonly home: string;
  /** `loci-corpus` for `--beside`. */
  readonly plugin: string;
  readonly agents: readonly HostAgent[];
  /** The folder that the plugin has to be copied to; `null` if OpenClaw has this build of it, or loads it from this package. */
  readonly folder: string | null;
  /** Whether a gateway runs, which then loads the plugin itself. */
  readonly isRunning: boolean;
}

/** Checks all that can be checked without a change. */
export async function makePlan(session: Session): Promise<Plan> {
  const { openclaw, io, call } = session;
  const isBeside = call.options['beside'] === true;
  const plugin = isBeside ? CORPUS_PLUGIN : PLUGIN;
  assertBuilt();
  if (isBeside) assertStays();
  await openclaw.assertNode();
  const version = await openclaw.version();
  const files = await loadHostConfig(session);
  const [plugins, agents] = await Promise.all([openclaw.plugins(), openclaw.agents()]);
  const values = files.values();
  const home = lociHomeOf(session, values, plugin);
  assertSameSetup(await new Backup(home).manifest(), files.root, plugin);
  // A gateway that is a service does not have the variables of this terminal.
  const isNamed = home !== configHome({ env: {} }) && pluginConfig(values, plugin)['home'] === undefined;
  const installed = plugins.find(({ id }) => id === plugin);
  const isCurrent = installed !== undefined && (await isThisPackage(installed.rootDir));
  // The plugin beside memory-core is loaded from this package.
  const folder = isBeside || isCurrent ? null : await pluginFolder(home);
  if (isBeside) changeKeysBeside(files, isNamed ? home : null);
  else changeKeys(files, isNamed ? home : null, folder);
  parsePluginConfig(PLUGIN, pluginConfig(files.values()));
  const isRunning = await isListening(gatewayPort(values, io.env));
  return { version, files, home, plugin, agents, folder, isRunning };
}

/** @throws LociError `conflict` after a setup of the other plugin or configuration, which would be undone together with this one */
function assertSameSetup(before: Manifest | null, configFile: string, plugin: string): void {
  if (before === null || (before.plugin === plugin && before.configFile === configFile)) return;
  throw new LociError('conflict', `setup has made ${before.configFile} use ${before.plugin} already`, {
    hint: 'Run `loci openclaw undo` first, or use another Loci home with --home.',
  });
}
