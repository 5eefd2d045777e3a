import { LociError, messageOf } from '../../../core/errors.ts';
import { asLociError } from '../../../core/fs/file-errors.ts';
import { askYesNo, mayAsk } from '../../shared/ask.ts';
import { escapeControl, toJson } from '../../shared/escape-control.ts';
import { stageText } from '../../shared/progress-text.ts';
import { Backup, type Manifest } from './backup.ts';
import { assertStays, changeKeysBeside, verifyLoaded } from './beside.ts';
import {
  changeKeys,
  CORPUS_PLUGIN,
  describeChange,
  HOST_PLUGIN,
  listAt,
  LOAD_PATHS,
  PLUGIN,
  shadowdbSettings,
  shownValue,
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
import type { ConfigFiles } from './config-files.ts';
import type { HostAgent, HostPlugin } from './program.ts';

/** Runs `loci openclaw setup`. */
export const setUpOpenclaw = openclawCommand(async (session) => {
  const { call, io, steps } = session;
  const isDryRun = call.options['dry-run'] === true;
  if (!isDryRun) assertMayAsk(session);
  steps.begin('looking at OpenClaw');
  const plan = await makePlan(session);
  const { home, folder } = plan;
  if (plan.plugin === PLUGIN) await agreeOnTranscripts(session, plan.files);
  const backup = new Backup(home);
  const indexed: IndexedWorkspace[] = [];
  const planned = stepsOf(session, plan, backup, indexed);
  if (isDryRun) {
    const titles = planned.map(({ title }) => title);
    io.stdout.write(call.json ? `${toJson({ ...facts(plan), steps: titles })}\n` : dryRunText(plan, titles));
    return 0;
  }
  await confirm(session, plan);
  try {
    await runSteps(planned, session.signal, (title) => {
      steps.begin(title);
    });
  } finally {
    await backup.unlock();
  }
  // A running gateway may still use the build that this one replaces.
  if (folder !== null) await removePlugins(home, [...loadPaths(plan), folder]);
  io.stdout.write(call.json ? `${toJson({ ...facts(plan), indexed })}\n` : doneText(plan, indexed));
  return 0;
});

/** @throws LociError `invalid_input` if nobody can be asked, and --yes is missing */
function assertMayAsk({ call, io }: HostSession): void {
  if (call.options['yes'] === true) return;
  if (mayAsk(io)) return;
  throw new LociError('invalid_input', 'there is no terminal to ask in', {
    hint: 'Use --yes to go ahead, or --dry-run to see what would be done.',
  });
}

async function confirm({ call, io, signal }: HostSession, plan: Plan): Promise<void> {
  if (call.options['yes'] === true) return;
  const files = plan.files.changedFiles();
  const actions = [
    ...(plan.folder === null ? [] : ['install the plugin']),
    ...(files.length > 0 ? [`change ${files.join(' and ')}`] : []),
  ];
  const what = actions.length === 0 ? 'check the plugin' : actions.join(' and ');
  await askYesNo(io, `May setup ${what}?`, { hint: '--dry-run lists the steps.', signal });
}

/** The steps of setup. @param indexed what they have indexed */
function stepsOf(session: HostSession, plan: Plan, backup: Backup, indexed: IndexedWorkspace[]): SetupStep[] {
  const { files, folder, isRunning, home, plugin } = plan;
  const usesCorpusPlugin = plugin === CORPUS_PLUGIN;
  const agents = plan.agents.map(({ id }) => id).join(', ');
  let hasCopiedPlugin = false;
  const copy: SetupStep = {
    title: `copy the plugin ${PLUGIN} to ${String(folder)}`,
    run: async () => {
      hasCopiedPlugin = folder !== null && (await copyPlugin(folder));
    },
    revert: async () => {
      if (hasCopiedPlugin) await removePlugins(home, loadPaths(plan));
    },
  };
  const index: SetupStep = {
    title: `index the memory files of ${agents} in ${home}`,
    run: async () => {
      indexed.push(...(await indexAll(session, plan)));
    },
  };
  const change: SetupStep = {
    title: `change ${files.changedFiles().join(' and ')}`,
    run: () => backup.apply(files),
    revert: () => backup.revert(files),
  };
  return [
    {
      title: `back up the configuration to ${backup.folder}`,
      run: () => backup.begin(files, plugin),
      revert: () => backup.rollBack(),
    },
    ...(folder === null ? [] : [copy]),
    ...(usesCorpusPlugin ? [] : [index]),
    ...(files.changes.length > 0 ? [change] : []),
    {
      title: usesCorpusPlugin
        ? `check that OpenClaw loads the plugin ${plugin}`
        : isRunning
          ? 'wait until memory_search of the running gateway answers from Loci'
          : 'start a gateway for a moment, and check that its memory_search answers from Loci',
      run: () => verify(session, plan),
    },
  ];
}

/** The folders that OpenClaw loads plugins from, before setup. */
function loadPaths({ files }: Plan): readonly unknown[] {
  return listAt(files.originalValues(), ...LOAD_PATHS);
}

function indexAll(
  { signal, steps }: HostSession,
  { files, agents, home }: Plan,
): Promise<IndexedWorkspace[]> {
  const values = files.values();
  return indexMemory({ ...pluginConfig(values), home }, workspacesIn(values, agents), {
    signal,
    onProgress: (progress) => {
      const { done, total } = progress;
      const counts = total > 0 ? `: ${String(done)} of ${String(total)}` : '';
      steps.update(`${stageText(progress)}${counts}`);
    },
  });
}

function verify({ openclaw, signal }: HostSession, { files, isRunning, plugin }: Plan): Promise<void> {
  if (plugin === CORPUS_PLUGIN) return openclaw.withConfigCopy(files.root, files.values(), verifyLoaded);
  if (isRunning) return verifyRunning(openclaw, signal);
  return openclaw.withConfigCopy(files.root, files.values(), (program) =>
    verifyWithOwnGateway(program, signal),
  );
}

/** A step of setup. */
export interface SetupStep {
  /** What it does, for the list of steps and the progress: `install the plugin memory-loci`. */
  readonly title: string;
  readonly run: () => Promise<void>;
  /** Restores what was there before, also after a step that failed half-way. */
  readonly revert?: () => Promise<void>;
}

/**
 * Runs steps in order. After a failure, all that were begun are reverted, the last one first.
 * @throws LociError the error of the step, with its title
 */
export async function runSteps(
  steps: readonly SetupStep[],
  signal: AbortSignal,
  report: (message: string) => void,
): Promise<void> {
  const begun: SetupStep[] = [];
  for (const step of steps) {
    try {
      if (signal.aborted) throw new LociError('aborted', 'stopped');
      begun.push(step);
      report(step.title);
      await step.run();
    } catch (error) {
      if (begun.some(({ revert }) => revert !== undefined)) report('restoring what was there before');
      throw failure(step, error, await revertAll(begun));
    }
  }
}

async function revertAll(steps: readonly SetupStep[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { title, revert } of steps.toReversed())
    await revert?.().catch((error: unknown) => problems.push(`${title}: ${messageOf(error)}`));
  return problems;
}

function failure({ title }: SetupStep, error: unknown, notReverted: readonly string[]): LociError {
  const { code, message, hint } = asLociError(error);
  if (notReverted.length > 0)
    return new LociError(
      code,
      `"${title}" failed: ${message}\nNot everything was restored: ${notReverted.join('; ')}`,
      {
        hint: `${hint}\n\`loci openclaw undo\` restores the rest.`,
        cause: error,
      },
    );
  const restored = 'The configuration and the plugins of OpenClaw are as they were before.';
  if (code === 'aborted')
    return new LociError(code, `stopped at "${title}"`, { hint: restored, cause: error });
  return new LociError(code, `"${title}" failed: ${message}`, { hint: `${hint}\n${restored}`, cause: error });
}

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
async function makePlan(session: HostSession): Promise<Plan> {
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
function facts({ version, files, home, plugin, folder, isRunning, shadowdb }: Plan) {
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

function dryRunText(plan: Plan, titles: readonly string[]): string {
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

function doneText(plan: Plan, indexed: readonly IndexedWorkspace[]): string {
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
