import { configHome } from '../../../config/load.ts';
import { LociError } from '../../../core/errors.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import { escapeControl } from '../../shared/escape-control.ts';
import { parsePluginConfig } from '../engine/settings.ts';
import { Backup, type Manifest } from './backup.ts';
import { assertStays, changeKeysBeside } from './beside.ts';
import { changeKeys, describeChange, CORPUS_PLUGIN, PLUGIN } from './config/plugin-keys.ts';
import type { ConfigFiles } from './config/config-files.ts';
import { gatewayPort, isListening } from './gateway.ts';
import type { IndexedWorkspace } from './index-memory.ts';
import { assertBuilt, isThisPackage, pluginFolder } from './package.ts';
import type { HostAgent } from './program.ts';
import { loadHostConfig, lociHomeOf, pluginConfig, type HostSession } from './session.ts';

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
export async function makePlan(session: HostSession): Promise<Plan> {
  const { openclaw, io, call } = session;
  const usesCorpusPlugin = call.options['beside'] === true;
  const plugin = usesCorpusPlugin ? CORPUS_PLUGIN : PLUGIN;
  assertBuilt();
  if (usesCorpusPlugin) assertStays();
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
  const folder = usesCorpusPlugin || isCurrent ? null : await pluginFolder(home);
  if (usesCorpusPlugin) changeKeysBeside(files, isNamed ? home : null);
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

/** What a plan does, for `--json`. */
export function facts({ version, files, home, plugin, folder, isRunning }: Plan) {
  return {
    version,
    configFile: files.root,
    home,
    plugin,
    installs: folder !== null,
    gatewayRuns: isRunning,
    changes: files.changes.map(({ file, path, value }) => ({ file, key: path.join('.'), value })),
  };
}

function changeLines({ files }: Plan): string[] {
  return files.changes.map((change) => `  ${change.file}: ${describeChange(change)}`);
}

export function dryRunText(plan: Plan, titles: readonly string[]): string {
  const lines = titles.map((title, at) => `  ${String(at + 1)}. ${title}`);
  const changes = plan.files.changes.length === 0 ? [] : ['These keys would change:', ...changeLines(plan)];
  return escapeControl(
    [`OpenClaw ${plan.version}. Nothing was changed. Setup would:`, ...lines, ...changes, ''].join('\n'),
  );
}

export function doneText(plan: Plan, indexed: readonly IndexedWorkspace[]): string {
  const { version, files, folder, home, plugin } = plan;
  const usesCorpusPlugin = plugin === CORPUS_PLUGIN;
  const installation = folder === null ? 'was installed already' : `is in ${folder}`;
  const lines = [
    usesCorpusPlugin
      ? `memory-core of OpenClaw ${version} now finds facts and runs of ${home} too, when an agent searches with corpus=all.`
      : `OpenClaw ${version} now remembers with Loci: memory_search answers from ${home}.`,
    `  The plugin ${plugin} ${usesCorpusPlugin ? 'is loaded from this package' : installation}.`,
    ...(files.changes.length === 0 ? ['  No key had to change.'] : changeLines(plan)),
    ...indexed.flatMap(({ agent, folder, files: count, problems }) => [
      `  ${agent}: ${formatCount(count, 'file')} of memory in ${folder}`,
      ...problems.map((problem) => `    ${problem}`),
    ]),
    '`loci openclaw undo` restores what was there before; `loci openclaw doctor` checks everything.',
    '',
  ];
  return escapeControl(lines.join('\n'));
}
