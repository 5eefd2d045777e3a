import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { LociError } from '../../../core/errors.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import { escapeControl, toJson } from '../../shared/escape-control.ts';
import { isTerminal } from '../../shared/io.ts';
import { stageText } from '../../shared/progress-text.ts';
import { Backup, hashOf, type Manifest, readIfExists, replaceText } from './backup.ts';
import { verifyLoaded } from './beside.ts';
import { changeText, CORPUS_PLUGIN, PLUGIN } from './config/changes.ts';
import { verifyRunning, verifyWithOwnGateway } from './gateway.ts';
import { type IndexedWorkspace, indexMemory, workspacesIn } from './index-memory.ts';
import { pack, packPlugin } from './package.ts';
import { makePlan, type Plan } from './plan.ts';
import { openclawCommand, pluginConfig, type Session } from './session.ts';
import { runSteps, type Step } from './steps.ts';

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
  await runSteps(setup.steps(), session.signal, (title) => {
    steps.begin(title);
  });
  steps.end();
  const { indexed } = setup;
  io.stdout.write(call.json ? `${toJson({ ...facts(plan), indexed })}\n` : doneText(plan, indexed));
  return 0;
});

/** @throws LociError `invalid_input` if nobody can be asked, and --yes is missing */
function assertMayAsk({ call, io }: Session): void {
  if (call.options['yes'] === true) return;
  const hasTerminal = isTerminal(io.stderr) && 'isTTY' in io.stdin && io.stdin.isTTY === true;
  if (hasTerminal) return;
  throw new LociError('invalid_input', 'there is no terminal to ask in', {
    hint: 'Use --yes to go ahead, or --dry-run to see what would be done.',
  });
}

async function confirm({ call, io, signal }: Session, plan: Plan): Promise<void> {
  if (call.options['yes'] === true) return;
  const terminal = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const files = plan.files.changedFiles().map((file) => escapeControl(file));
    const actions = [
      ...(plan.installs ? ['install the plugin'] : []),
      ...(files.length > 0 ? [`change ${files.join(' and ')}`] : []),
    ];
    const [what = 'check the plugin'] = actions.length > 1 ? [actions.join(' and ')] : actions;
    const answer = await terminal.question(`May setup ${what}? [y/N] `, { signal });
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    terminal.close();
  }
  throw new LociError('aborted', 'nothing was changed', { hint: '--dry-run lists the steps.' });
}

/** The steps of setup, and what they need to revert. */
class Setup {
  readonly #session: Session;
  readonly #plan: Plan;
  readonly #backup: Backup;
  indexed: readonly IndexedWorkspace[] = [];
  /** As it was before; `null` if setup did not run before, `undefined` if that is not known. */
  #manifestBefore: Manifest | null | undefined;
  #manifest: Manifest | null = null;
  /** The name of the package that this run replaces, in the folder of the backup. */
  #replacedPackage: string | null = null;

  constructor(session: Session, plan: Plan) {
    this.#session = session;
    this.#plan = plan;
    this.#backup = new Backup(plan.home);
  }

  steps(): Step[] {
    const { files, installs, isRunning, home, plugin } = this.#plan;
    const isBeside = plugin === CORPUS_PLUGIN;
    const agents = this.#plan.agents.map(({ id }) => id).join(', ');
    return [
      {
        title: `back up the configuration to ${this.#backup.folder}`,
        run: () => this.#backUp(),
        revert: () => this.#dropBackup(),
      },
      ...(installs
        ? [
            {
              title: `install the plugin ${PLUGIN}`,
              run: () => this.#install(),
              revert: () => this.#uninstall(),
            },
          ]
        : []),
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
    const { files, installed, plugin } = this.#plan;
    const before = await this.#backup.manifest();
    this.#manifestBefore = before;
    const saved = [...(before?.files ?? [])];
    for (const path of files.changedFiles()) {
      const index = saved.findIndex((each) => each.path === path);
      const written = hashOf(files.text(path));
      const known = saved[index];
      if (known === undefined) saved.push({ ...(await this.#backup.copy(path, saved.length)), written });
      // The copy is older than what somebody has changed since, so that `undo` must not restore it.
      else
        saved[index] = {
          ...known,
          written: known.written === hashOf(files.originalText(path)) ? written : null,
        };
    }
    this.#manifest = {
      version: 1,
      configFile: files.root,
      plugin,
      wasInstalled: before?.wasInstalled ?? installed !== null,
      previousPackage: before?.previousPackage ?? null,
      files: saved,
      changes: [
        ...(before?.changes ?? []),
        ...files.changes.map((each) => ({ ...each, path: [...each.path] })),
      ],
    };
    // It is saved before anything is changed, so that `undo` works even if this process is killed.
    await this.#backup.save(this.#manifest);
  }

  async #dropBackup(): Promise<void> {
    if (this.#manifestBefore === null) await this.#backup.remove();
    else if (this.#manifestBefore !== undefined) await this.#backup.save(this.#manifestBefore);
  }

  async #install(): Promise<void> {
    const { openclaw, signal } = this.#session;
    const { files, installed } = this.#plan;
    const folder = await mkdtemp(join(tmpdir(), 'loci-openclaw-'));
    try {
      if (installed !== null)
        this.#replacedPackage = await this.#keep(await pack(folder, signal, installed.rootDir));
      const tarball = await packPlugin(folder, signal);
      const values = files.originalValues();
      await openclaw.withConfigCopy(files.root, values, (program) => program.installPlugin(tarball));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Keeps the package that is replaced. Returns its name. That before the first setup is installed again by `undo`. */
  async #keep(tarball: string): Promise<string> {
    if (this.#manifest === null || this.#manifestBefore !== null)
      return this.#backup.keepPackage(tarball, 'replaced-plugin.tgz');
    const previousPackage = await this.#backup.keepPackage(tarball, 'previous-plugin.tgz');
    this.#manifest = { ...this.#manifest, previousPackage };
    await this.#backup.save(this.#manifest);
    return previousPackage;
  }

  async #uninstall(): Promise<void> {
    const { files, installed } = this.#plan;
    const replaced = this.#replacedPackage;
    // It was not kept yet, so that it was not replaced either.
    if (installed !== null && replaced === null) return;
    const openclaw = this.#session.openclaw.uninterrupted();
    await openclaw.withConfigCopy(files.root, files.originalValues(), async (program) => {
      if (replaced !== null) await program.installPlugin(join(this.#backup.folder, replaced));
      else if ((await program.plugins()).some(({ id }) => id === PLUGIN))
        await program.uninstallPlugin(PLUGIN);
    });
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
      if ((await readFile(path, 'utf8')) !== files.originalText(path))
        throw new LociError('conflict', `${path} was changed meanwhile`);
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

function facts({ version, files, home, plugin, installs, isRunning }: Plan) {
  return {
    version,
    configFile: files.root,
    home,
    plugin,
    installs,
    gatewayRuns: isRunning,
    changes: files.changes.map(({ file, path, value }) => ({ file, key: path.join('.'), value })),
  };
}

function changeLines({ files }: Plan): string[] {
  return files.changes.map((change) => `  ${change.file}: ${changeText(change)}`);
}

function dryRunText(plan: Plan, titles: readonly string[]): string {
  const lines = titles.map((title, at) => `  ${String(at + 1)}. ${title}`);
  const changes = plan.files.changes.length === 0 ? [] : ['These keys would change:', ...changeLines(plan)];
  return escapeControl(
    [`OpenClaw ${plan.version}. Nothing was changed. Setup would:`, ...lines, ...changes, ''].join('\n'),
  );
}

function doneText(plan: Plan, indexed: readonly IndexedWorkspace[]): string {
  const { version, files, installs, home, plugin } = plan;
  const isBeside = plugin === CORPUS_PLUGIN;
  const installation = installs ? 'was installed' : 'was installed already';
  const lines = [
    isBeside
      ? `memory-core of OpenClaw ${version} now finds facts and runs of ${home} too, when an agent searches with corpus=all.`
      : `OpenClaw ${version} now remembers with Loci: memory_search answers from ${home}.`,
    `  The plugin ${plugin} ${isBeside ? 'is loaded from this package' : installation}.`,
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
