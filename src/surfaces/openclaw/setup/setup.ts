import { LociError, messageOf } from '../../../core/errors.ts';
import { asLociError } from '../../../core/fs/file-errors.ts';
import { askYesNo, mayAsk } from '../../shared/ask.ts';
import { escapeControl, toJson } from '../../shared/escape-control.ts';
import { stageText } from '../../shared/progress-text.ts';
import { Backup, type Manifest } from './backup.ts';
import {
  assertStays,
  changeKeys,
  changeKeysBeside,
  changeText,
  CORPUS_PLUGIN,
  HOST_PLUGIN,
  LOAD_PATHS,
  PLUGIN,
  shadowdbSettings,
  SLOT,
} from './plugin-keys.ts';
import { gatewayPort, isListening, verifyRunning, verifyWithOwnGateway } from './gateway.ts';
import { type IndexedWorkspace, indexMemory, workspacesIn } from './index-memory.ts';
import { assertBuilt, copyPlugin, isThisPackage, pluginFolder, removePlugins } from './package.ts';
import {
  agreeOnTranscripts,
  conversationsText,
  type HostSession,
  loadHostConfig,
  lociHomeOf,
  openclawCommand,
  ownerProblem,
  pluginConfig,
} from './session.ts';
import { configHome } from '../../../config/load.ts';
import { setAt, valueAt } from '../../../core/json-path.ts';
import type { JsonMap } from '../../../core/json.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import { parsePluginConfig } from '../engine/settings.ts';
import { type ConfigFiles, listAt } from './config-files.ts';
import type { HostAgent, HostPlugin } from './program.ts';

/** Runs `loci openclaw setup`. */
export const setUpOpenclaw = openclawCommand(async (session) => {
  const { call, io, steps } = session;
  const isDryRun = call.options['dry-run'] === true;
  if (!isDryRun && call.options['yes'] !== true && !mayAsk(io))
    throw new LociError('invalid_input', 'there is no terminal to ask in', {
      hint: 'Use --yes to go ahead, or --dry-run to see what would be done.',
    });
  steps.begin('looking at OpenClaw');
  const plan = await makePlan(session);
  const { home, folder, backup, files, version, plugin } = plan;
  if (plugin === PLUGIN) await agreeOnTranscripts(session, files);
  const indexed: IndexedWorkspace[] = [];
  const planned = stepsOf(session, plan, indexed);
  const facts = {
    version,
    configFile: files.root,
    home,
    plugin,
    installs: folder !== null,
    gatewayRuns: plan.isRunning,
    takesOverShadowdb: plan.shadowdb !== null,
    changes: files.changes,
  };
  if (isDryRun) {
    const titles = planned.map(([title]) => title);
    io.stdout.write(call.json ? `${toJson({ ...facts, steps: titles })}\n` : dryRunText(plan, titles));
    return 0;
  }
  await confirm(session, plan);
  await backup.exclusively(() => runSteps(session, plan, planned));
  // A running gateway may still use the build that this one replaces.
  if (folder !== null) await removePlugins(home, [...plan.loadPaths, folder]);
  io.stdout.write(call.json ? `${toJson({ ...facts, indexed })}\n` : doneText(plan, indexed));
  return 0;
});

async function confirm({ call, io, signal }: HostSession, { files, folder }: Plan): Promise<void> {
  if (call.options['yes'] === true) return;
  const changed = files.changedFiles();
  const actions = [
    ...(folder === null ? [] : ['install the plugin']),
    ...(changed.length > 0 ? [`change ${changed.join(' and ')}`] : []),
  ];
  const what = actions.length === 0 ? 'check the plugin' : actions.join(' and ');
  await askYesNo(io, `May setup ${what}?`, { hint: '--dry-run lists the steps.', signal });
}

/** What a step does, for the list of steps and the progress, and the step. */
type SetupStep = readonly [title: string, run: () => Promise<unknown>];

/** The steps of setup. @param indexed gets what the steps have indexed */
function stepsOf(session: HostSession, plan: Plan, indexed: IndexedWorkspace[]): SetupStep[] {
  const { openclaw, signal, steps } = session;
  const { files, folder, isRunning, home, plugin, agents, backup } = plan;
  const withCopy = openclaw.withConfigCopy.bind(openclaw, files.root, files.values());
  const changed = files.changedFiles().join(' and ');
  const change: SetupStep[] =
    changed === ''
      ? []
      : [[`copy ${changed} to ${backup.folder}, and change it`, () => backup.apply(files, plugin)]];
  if (plugin === CORPUS_PLUGIN)
    return [
      ...change,
      [
        `check that OpenClaw loads the plugin ${plugin}`,
        () => withCopy((program) => program.loadedPlugin(plugin)),
      ],
    ];
  const index = async (): Promise<void> => {
    const values = files.values();
    const found = await indexMemory({ ...pluginConfig(values), home }, workspacesIn(values, agents), {
      signal,
      onProgress: (progress) => {
        const { done, total } = progress;
        steps.update(stageText(progress) + (total > 0 ? `: ${String(done)} of ${String(total)}` : ''));
      },
    });
    indexed.push(...found);
  };
  return [
    ...(folder === null
      ? []
      : [[`copy the plugin ${PLUGIN} to ${folder}`, () => copyPlugin(folder)] as const]),
    [`index the memory files of ${agents.map(({ id }) => id).join(', ')} in ${home}`, index],
    ...change,
    isRunning
      ? [
          'wait until memory_search of the running gateway answers from Loci',
          () => verifyRunning(openclaw, signal),
        ]
      : [
          'start a gateway for a moment, and check that its memory_search answers from Loci',
          () => withCopy((program) => verifyWithOwnGateway(program, signal)),
        ],
  ];
}

/** Runs steps in order. After a failure, all is as it was. @throws LociError the error of the step, with its title */
async function runSteps(
  { signal, steps }: HostSession,
  { backup, files, folder, home, loadPaths }: Plan,
  planned: readonly SetupStep[],
): Promise<void> {
  let title = '';
  try {
    for (const [next, run] of planned) {
      title = next;
      if (signal.aborted) throw new LociError('aborted', 'stopped');
      steps.begin(title);
      await run();
    }
  } catch (error) {
    steps.begin('restoring what was there before');
    const { code, message, hint } = asLociError(error);
    try {
      await backup.revert(files);
      if (folder !== null) await removePlugins(home, loadPaths);
    } catch (problem) {
      throw new LociError(
        code,
        `"${title}" failed: ${message}\nNot everything was restored: ${messageOf(problem)}`,
        { hint: `${hint}\n\`loci openclaw undo\` restores the rest.`, cause: error },
      );
    }
    const restored = 'The configuration and the plugins of OpenClaw are as they were before.';
    if (code === 'aborted')
      throw new LociError(code, `stopped at "${title}"`, { hint: restored, cause: error });
    throw new LociError(code, `"${title}" failed: ${message}`, {
      hint: `${hint}\n${restored}`,
      cause: error,
    });
  }
}

/** Everything that is known before anything is changed. */
interface Plan {
  readonly version: string;
  readonly files: ConfigFiles;
  readonly home: string;
  readonly backup: Backup;
  /** `loci-corpus` for `--beside`. */
  readonly plugin: string;
  readonly agents: readonly HostAgent[];
  /** The folder that the plugin has to be copied to; `null` if OpenClaw has this build of it, or loads it from this package. */
  readonly folder: string | null;
  /** The folders that OpenClaw loads plugins from, before setup. */
  readonly loadPaths: readonly unknown[];
  /** Whether a gateway runs, which then loads the plugin itself. */
  readonly isRunning: boolean;
  /** The settings of memory-shadowdb, which become those of Loci; `null` if it is not the memory. */
  readonly shadowdb: JsonMap | null;
}

/** Checks all that can be checked without a change. */
async function makePlan(session: HostSession): Promise<Plan> {
  const { openclaw, io, call } = session;
  const isBeside = call.options['beside'] === true;
  const plugin = isBeside ? CORPUS_PLUGIN : PLUGIN;
  assertBuilt();
  if (isBeside) assertStays();
  const version = await openclaw.version();
  const files = await loadHostConfig(session);
  const values = files.values();
  const plugins = await openclaw.plugins();
  const agents = await agentsOf(session, files, plugins);
  const home = lociHomeOf(session, values, plugin);
  const backup = new Backup(home);
  assertSameSetup(await backup.manifest(), files.root, plugin);
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
  const shadowdb = isBeside ? null : shadowdbSettings(values);
  const loadPaths = listAt(values, LOAD_PATHS);
  return { version, files, home, backup, plugin, agents, folder, loadPaths, isRunning, shadowdb };
}

/** OpenClaw lists no agents while a plugin that it does not have is the memory. */
function agentsOf(
  { openclaw }: HostSession,
  files: ConfigFiles,
  plugins: readonly HostPlugin[],
): Promise<HostAgent[]> {
  const values = files.values();
  const slot = valueAt(values, SLOT);
  if (typeof slot !== 'string' || slot === 'none' || plugins.some(({ id }) => id === slot))
    return openclaw.agents();
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

/** What changes in the configuration, and what follows from it. */
function planLines({ files, plugin, shadowdb }: Plan): string[] {
  const { table = 'memories', connectionString } = shadowdb ?? {};
  const conversations = conversationsText(files.values());
  const [problem, remedy] = ownerProblem(files.values()) ?? [];
  return [
    ...files.changes.map((change) => `  ${changeText(change)}`),
    ...(shadowdb === null
      ? []
      : [`  ${PLUGIN} takes over the settings of memory-shadowdb, which is turned off.`]),
    ...(connectionString === undefined
      ? []
      : [
          `  Its memories stay in its table: \`openclaw loci import postgres://… --table ${JSON.stringify(table)}\` copies them.`,
        ]),
    ...(plugin === CORPUS_PLUGIN
      ? []
      : [`  ${conversations.charAt(0).toUpperCase()}${conversations.slice(1)}.`]),
    ...(plugin === CORPUS_PLUGIN || problem === undefined
      ? []
      : [`  Warning: ${problem}.`, `  ${String(remedy)}`]),
  ];
}

function dryRunText(plan: Plan, titles: readonly string[]): string {
  const lines = [
    `OpenClaw ${plan.version}. Nothing was changed. Setup would:`,
    ...titles.map((title, at) => `  ${String(at + 1)}. ${title}`),
    ...(plan.files.changes.length === 0 ? [] : ['These keys would change:']),
    ...planLines(plan),
    '',
  ];
  return escapeControl(lines.join('\n'));
}

function doneText(plan: Plan, indexed: readonly IndexedWorkspace[]): string {
  const { version, files, folder, home, plugin } = plan;
  const lines = [
    ...(plugin === CORPUS_PLUGIN
      ? [
          `memory-core of OpenClaw ${version} now finds facts and runs of ${home} too, when an agent searches with corpus=all.`,
          `  The plugin ${plugin} is loaded from this package.`,
        ]
      : [
          `OpenClaw ${version} now remembers with Loci: memory_search answers from ${home}.`,
          `  The plugin ${plugin} ${folder === null ? 'was installed already' : `is in ${folder}`}.`,
        ]),
    ...(files.changes.length === 0 ? ['  No key had to change.'] : []),
    ...planLines(plan),
    ...indexed.flatMap(({ agent, folder: workspace, files: count, problems }) => [
      `  ${agent}: ${formatCount(count, 'file')} of memory in ${workspace}`,
      ...problems.map((problem) => `    ${problem}`),
    ]),
    '`loci openclaw undo` restores what was there before; `loci openclaw doctor` checks everything.',
    '',
  ];
  return escapeControl(lines.join('\n'));
}
