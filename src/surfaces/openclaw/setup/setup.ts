import { readFile } from 'node:fs/promises';
import { LociError, messageOf } from '../../../core/errors.ts';
import { asLociError } from '../../../core/fs/file-errors.ts';
import { askYesNo, mayAsk } from '../../shared/ask.ts';
import { toJson } from '../../shared/escape-control.ts';
import { stageText } from '../../shared/progress-text.ts';
import { allChanges, Backup, hashOf, type Manifest, readIfExists, replaceText } from './backup.ts';
import { verifyLoaded } from './beside.ts';
import { CORPUS_PLUGIN, listAt, LOAD_PATHS, PLUGIN } from './config/changes.ts';
import { verifyRunning, verifyWithOwnGateway } from './gateway.ts';
import { type IndexedWorkspace, indexMemory, workspacesIn } from './index-memory.ts';
import { copyPlugin, removePlugins } from './package.ts';
import { doneText, dryRunText, facts, makePlan, type Plan } from './plan.ts';
import { openclawCommand, pluginConfig, type Session } from './session.ts';

/** Runs `loci openclaw setup`. */
export const setUpOpenclaw = openclawCommand(async (session) => {
  const { call, io, steps } = session;
  const isDryRun = call.options['dry-run'] === true;
  if (!isDryRun) assertMayAsk(session);
  steps.begin('looking at OpenClaw');
  const plan = await makePlan(session);
  const setup = new Setup(session, plan);
  steps.end();
  if (isDryRun) {
    const titles = setup.steps().map(({ title }) => title);
    io.stdout.write(call.json ? `${toJson({ ...facts(plan), steps: titles })}\n` : dryRunText(plan, titles));
    return 0;
  }
  await confirm(session, plan);
  try {
    await runSteps(setup.steps(), session.signal, (title) => {
      steps.begin(title);
    });
  } finally {
    await setup.end();
  }
  await setup.removeOldPlugins();
  steps.end();
  const { indexed } = setup;
  io.stdout.write(call.json ? `${toJson({ ...facts(plan), indexed })}\n` : doneText(plan, indexed));
  return 0;
});

/** @throws LociError `invalid_input` if nobody can be asked, and --yes is missing */
function assertMayAsk({ call, io }: Session): void {
  if (call.options['yes'] === true) return;
  if (mayAsk(io)) return;
  throw new LociError('invalid_input', 'there is no terminal to ask in', {
    hint: 'Use --yes to go ahead, or --dry-run to see what would be done.',
  });
}

async function confirm({ call, io, signal }: Session, plan: Plan): Promise<void> {
  if (call.options['yes'] === true) return;
  const files = plan.files.changedFiles();
  const actions = [
    ...(plan.folder === null ? [] : ['install the plugin']),
    ...(files.length > 0 ? [`change ${files.join(' and ')}`] : []),
  ];
  const what = actions.length === 0 ? 'check the plugin' : actions.join(' and ');
  await askYesNo(io, `May setup ${what}?`, { hint: '--dry-run lists the steps.', signal });
}

/** The steps of setup, and what they need to revert. */
class Setup {
  readonly #session: Session;
  readonly #plan: Plan;
  readonly #backup: Backup;
  indexed: readonly IndexedWorkspace[] = [];
  #unlock = (): Promise<void> => Promise.resolve();
  /** As it was before; `null` if setup did not run before, `undefined` if that is not known. */
  #manifestBefore: Manifest | null | undefined;
  #hasCopiedPlugin = false;

  constructor(session: Session, plan: Plan) {
    this.#session = session;
    this.#plan = plan;
    this.#backup = new Backup(plan.home);
  }

  steps(): Step[] {
    const { files, folder, isRunning, home, plugin } = this.#plan;
    const isBeside = plugin === CORPUS_PLUGIN;
    const agents = this.#plan.agents.map(({ id }) => id).join(', ');
    return [
      {
        title: `back up the configuration to ${this.#backup.folder}`,
        run: () => this.#backUp(),
        revert: () => this.#dropBackup(),
      },
      ...(folder === null
        ? []
        : [
            {
              title: `copy the plugin ${PLUGIN} to ${folder}`,
              run: async () => {
                this.#hasCopiedPlugin = await copyPlugin(folder);
              },
              revert: async () => {
                if (this.#hasCopiedPlugin) await removePlugins(home, this.#loadPaths());
              },
            },
          ]),
      ...(isBeside
        ? []
        : [{ title: `index the memory files of ${agents} in ${home}`, run: () => this.#index() }]),
      ...(files.changes.length > 0
        ? [
            {
              title: `change ${files.changedFiles().join(' and ')}`,
              run: () => this.#write(),
              revert: () => this.#restore(),
            },
          ]
        : []),
      {
        title: isBeside
          ? `check that OpenClaw loads the plugin ${plugin}`
          : isRunning
            ? 'wait until memory_search of the running gateway answers from Loci'
            : 'start a gateway for a moment, and check that its memory_search answers from Loci',
        run: () => this.#verify(),
      },
    ];
  }

  async #backUp(): Promise<void> {
    const { files, plugin } = this.#plan;
    this.#unlock = await this.#backup.lock();
    for (const path of files.changedFiles()) await assertUnchanged(path, files.originalText(path));
    const before = await this.#backup.manifest();
    this.#manifestBefore = before;
    const saved = [...(before?.files ?? [])];
    for (const path of files.changedFiles()) {
      const index = saved.findIndex((each) => each.path === path);
      const known = saved[index];
      const copied = known ?? (await this.#backup.copy(path, saved.length));
      // A copy that is older than what somebody has changed since must not be restored by `undo`.
      const isCurrent =
        known === undefined ||
        known.written === hashOf(files.originalText(path)) ||
        (await this.#backup.isCopyOf(known, files.originalText(path)));
      const next = { ...copied, written: isCurrent ? hashOf(files.text(path)) : null };
      if (known === undefined) saved.push(next);
      else saved[index] = next;
    }
    const manifest: Manifest = {
      version: 1,
      configFile: files.root,
      plugin,
      files: saved,
      changes: allChanges(before?.changes ?? [], files.changes),
    };
    // It is saved before anything is changed, so that `undo` works even if this process is killed.
    await this.#backup.save(manifest);
  }

  /** Lets another setup run. */
  async end(): Promise<void> {
    await this.#unlock();
  }

  /** A running gateway may still use the build that this one replaces. */
  async removeOldPlugins(): Promise<void> {
    const { home, folder } = this.#plan;
    if (folder !== null) await removePlugins(home, [...this.#loadPaths(), folder]);
  }

  /** The folders that OpenClaw loads plugins from, before setup. */
  #loadPaths(): readonly unknown[] {
    return listAt(this.#plan.files.originalValues(), ...LOAD_PATHS);
  }

  async #dropBackup(): Promise<void> {
    if (this.#manifestBefore === null) await this.#backup.remove();
    else if (this.#manifestBefore !== undefined) await this.#backup.save(this.#manifestBefore);
  }

  async #index(): Promise<void> {
    const { files, agents, home } = this.#plan;
    const values = files.values();
    const { signal, steps } = this.#session;
    this.indexed = await indexMemory({ ...pluginConfig(values), home }, workspacesIn(values, agents), {
      signal,
      onProgress: (progress) => {
        const { done, total } = progress;
        const counts = total > 0 ? `: ${String(done)} of ${String(total)}` : '';
        steps.update(`${stageText(progress)}${counts}`);
      },
    });
  }

  async #write(): Promise<void> {
    const { files } = this.#plan;
    for (const path of files.changedFiles()) {
      await assertUnchanged(path, files.originalText(path));
      await replaceText(path, files.text(path));
    }
  }

  async #restore(): Promise<void> {
    const { files } = this.#plan;
    for (const path of files.changedFiles()) {
      const now = await readIfExists(path);
      if (now?.toString('utf8') === files.text(path)) await replaceText(path, files.originalText(path));
    }
  }

  async #verify(): Promise<void> {
    const { openclaw, signal } = this.#session;
    const { files, isRunning, plugin } = this.#plan;
    if (plugin === CORPUS_PLUGIN) return openclaw.withConfigCopy(files.root, files.values(), verifyLoaded);
    if (isRunning) return verifyRunning(openclaw, signal);
    await openclaw.withConfigCopy(files.root, files.values(), (program) =>
      verifyWithOwnGateway(program, signal),
    );
  }
}

/** @throws LociError `conflict` */
async function assertUnchanged(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8')) !== text)
    throw new LociError('conflict', `${path} was changed meanwhile`, {
      hint: 'Run `loci openclaw setup` again.',
    });
}

/** A step of setup. */
export interface Step {
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
  steps: readonly Step[],
  signal: AbortSignal,
  report: (message: string) => void,
): Promise<void> {
  const begun: Step[] = [];
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

async function revertAll(steps: readonly Step[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { title, revert } of steps.toReversed())
    await revert?.().catch((error: unknown) => problems.push(`${title}: ${messageOf(error)}`));
  return problems;
}

function failure({ title }: Step, error: unknown, notReverted: readonly string[]): LociError {
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
