import { configHome } from '../../../config/load.ts';
import { LociError } from '../../../core/errors.ts';
import { setAt, valueAt } from '../../../core/json-path.ts';
import type { JsonMap } from '../../../core/json.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import { escapeControl } from '../../shared/escape-control.ts';
import { parsePluginConfig } from '../engine/settings.ts';
import { Backup, type Manifest } from './backup.ts';
import { assertStays, changeKeysBeside } from './beside.ts';
import {
  changeKeys,
  CORPUS_PLUGIN,
  describeChange,
  HOST_PLUGIN,
  PLUGIN,
  shadowdbSettings,
  shownValue,
  SLOT,
} from './config/plugin-keys.ts';
import type { ConfigFiles } from './config/config-files.ts';
import { gatewayPort, isListening } from './gateway.ts';
import type { IndexedWorkspace } from './index-memory.ts';
import { ownerProblem } from './owner.ts';
import { assertBuilt, isThisPackage, pluginFolder } from './package.ts';
import type { HostAgent, HostPlugin } from './program.ts';
import { conversationsText } from './transcripts.ts';
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
  /** The settings of memory-shadowdb, which become those of Loci; `null` if it is not the memory. */
  readonly shadowdb: JsonMap | null;
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
  const values = files.values();
  const plugins = await openclaw.plugins();
  const agents = await agentsOf(session, files, plugins);
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
  const shadowdb = usesCorpusPlugin ? null : shadowdbSettings(values);
  return { version, files, home, plugin, agents, folder, isRunning, shadowdb };
}

/** OpenClaw lists no agents while a plugin that it does not have is the memory. */
function agentsOf(
  { openclaw }: HostSession,
  files: ConfigFiles,
  plugins: readonly HostPlugin[],
): Promise<HostAgent[]> {
  const slot = valueAt(files.values(), SLOT);
  if (typeof slot !== 'string' || slot === 'none' || plugins.some(({ id }) => id === slot))
    return openclaw.agents();
  const values = structuredClone(files.values());
  setAt(values, SLOT, HOST_PLUGIN);
  return openclaw.withConfigCopy(files.root, values, (program) => program.agents());
}

/** @throws LociError `conflict` after a setup of the other plugin or configuration, which would be undone together with this one */
function assertSameSetup(before: Manifest | null, configFile: string, plugin: string): void {
  if (before === null || (before.plugin === plugin && before.configFile === configFile)) return;
  throw new LociError('conflict', `setup has made ${before.configFile} use ${before.plugin} already`, {
    hint: 'Run `loci openclaw undo` first, or use another Loci home with --home.',
  });
}

/** What a plan does, for `--json`. */
export function facts({ version, files, home, plugin, folder, isRunning, shadowdb }: Plan) {
  return {
    version,
    configFile: files.root,
    home,
    plugin,
    installs: folder !== null,
    gatewayRuns: isRunning,
    takesOverShadowdb: shadowdb !== null,
    changes: files.changes.map(({ file, path, value }) => ({
      file,
      key: path.join('.'),
      value: shownValue({ path, value }),
    })),
  };
}

function changeLines({ files }: Plan): string[] {
  return files.changes.map((change) => `  ${change.file}: ${describeChange(change)}`);
}

/** What becomes of memory-shadowdb. */
function shadowdbLines({ shadowdb }: Plan): string[] {
  if (shadowdb === null) return [];
  const { table = 'memories', connectionString } = shadowdb;
  return [
    `  ${PLUGIN} takes over the settings of memory-shadowdb, which is turned off.`,
    ...(connectionString === undefined
      ? []
      : [
          `  Its memories stay in its table: \`openclaw loci import postgres://… --table ${JSON.stringify(table)}\` copies them.`,
        ]),
  ];
}

export function dryRunText(plan: Plan, titles: readonly string[]): string {
  const lines = titles.map((title, at) => `  ${String(at + 1)}. ${title}`);
  const changes = plan.files.changes.length === 0 ? [] : ['These keys would change:', ...changeLines(plan)];
  return escapeControl(
    [
      `OpenClaw ${plan.version}. Nothing was changed. Setup would:`,
      ...lines,
      ...changes,
      ...shadowdbLines(plan),
      ...(plan.plugin === CORPUS_PLUGIN ? [] : [conversationsLine(plan), ...ownerLines(plan)]),
      '',
    ].join('\n'),
  );
}

function conversationsLine({ files }: Plan): string {
  const text = conversationsText(files.values());
  return `  ${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function ownerLines({ files }: Plan): string[] {
  const [problem, remedy] = ownerProblem(files.values()) ?? [];
  return problem === undefined ? [] : [`  Warning: ${problem}.`, `  ${remedy}`];
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
    ...shadowdbLines(plan),
    ...indexed.flatMap(({ agent, folder, files: count, problems }) => [
      `  ${agent}: ${formatCount(count, 'file')} of memory in ${folder}`,
      ...problems.map((problem) => `    ${problem}`),
    ]),
    ...(usesCorpusPlugin ? [] : [conversationsLine(plan), ...ownerLines(plan)]),
    '`loci openclaw undo` restores what was there before; `loci openclaw doctor` checks everything.',
    '',
  ];
  return escapeControl(lines.join('\n'));
}
