import { LociError, messageOf } from '../../../core/errors.ts';
import { asLociError } from '../../../core/fs/file-errors.ts';
import { askYesNo, mayAsk } from '../../shared/ask.ts';
import { toJson } from '../../shared/escape-control.ts';
import { stageText } from '../../shared/progress-text.ts';
import { Backup } from './backup.ts';
import { verifyLoaded } from './beside.ts';
import { CORPUS_PLUGIN, listAt, LOAD_PATHS, PLUGIN } from './config/plugin-keys.ts';
import { verifyRunning, verifyWithOwnGateway } from './gateway.ts';
import { type IndexedWorkspace, indexMemory, workspacesIn } from './index-memory.ts';
import { copyPlugin, removePlugins } from './package.ts';
import { agreeOnTranscripts } from './transcripts.ts';
import { doneText, dryRunText, facts, makePlan, type Plan } from './plan.ts';
import { openclawCommand, pluginConfig, type HostSession } from './session.ts';

/** Runs `loci openclaw setup`. */
export const setUpOpenclaw = openclawCommand(async (session) => {
  const { call, io, steps } = session;
  const isDryRun = call.options['dry-run'] === true;
  if (!isDryRun) assertMayAsk(session);
  steps.begin('looking at OpenClaw');
  const plan = await makePlan(session);
  const { home, folder } = plan;
  steps.end();
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
  steps.end();
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
