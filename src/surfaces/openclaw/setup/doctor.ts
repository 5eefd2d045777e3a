import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { valueAt } from '../../../core/json-path.ts';
import { LociError } from '../../../core/errors.ts';
import { asLociError } from '../../../core/fs/file-errors.ts';
import type { JsonMap } from '../../../core/json.ts';
import type { Check } from '../../../engine/health/check.ts';
import { doctor as doctorCommand } from '../../cli/commands/doctor.ts';
import { hasColours, makeStyle } from '../../cli/format/style.ts';
import { escapeControl, toJson } from '../../shared/escape-control.ts';
import { outputColumns, isTerminal } from '../../shared/io.ts';
import { parsePluginConfig } from '../engine/settings.ts';
import { Backup } from './backup.ts';
import { checksBeside, usesCorpusPlugin } from './beside.ts';
import {
  allFound,
  configChecks,
  CORPUS_PLUGIN,
  found,
  listAt,
  LOAD_PATHS,
  passed,
  PLUGIN,
  type SetupProblem,
  SLOT,
} from './plugin-keys.ts';
import type { ConfigFiles } from './config-files.ts';
import { gatewayPort, isListening, probeMemorySearch } from './gateway.ts';
import { workspacesIn, workspaceStates } from './index-memory.ts';
import {
  conversationsText,
  type HostSession,
  loadHostConfig,
  lociHomeOf,
  openclawCommand,
  ownerProblem,
  pluginConfig,
} from './session.ts';
import { isThisPackage, pluginsFolder } from './package.ts';
import { isAbandonedCopy } from './program.ts';

/** Runs `loci openclaw doctor`. */
export const examineOpenclaw = openclawCommand(async (session) => {
  const { call, io } = session;
  session.steps.begin('examining OpenClaw');
  const checks = await examine(session);
  const healthy = checks.every(({ result }) => result !== 'failed');
  io.stdout.write(
    call.json
      ? `${toJson({ healthy, checks })}\n`
      : doctorCommand.render(
          { healthy, checks },
          {
            style: makeStyle(hasColours(io.stdout, io.env)),
            columns: outputColumns(io.stdout),
            terminal: isTerminal(io.stdout),
            options: new Set(['verbose']),
          },
        ),
  );
  return healthy ? 0 : 1;
});

/** All checks, in the order in which their problems are best solved. */
async function examine(session: HostSession): Promise<Check[]> {
  const program = await programCheck(session);
  if (program.result === 'failed') return [program];
  let files: ConfigFiles;
  let values: JsonMap;
  try {
    files = await loadHostConfig(session);
    values = files.values();
  } catch (error) {
    return [program, failed('configuration', error, session)];
  }
  const guarded = (name: string, check: () => Promise<Check | Check[]>): Promise<Check | Check[]> =>
    check().catch((error: unknown) => failed(name, error, session));
  const leftovers = (plugin: string): Promise<Check | Check[]> =>
    guarded('earlier setup', () => leftoversCheck(files, lociHomeOf(session, values, plugin)));
  if (usesCorpusPlugin(values)) {
    const checks = await Promise.all([
      guarded('plugin', () => checksBeside(session.openclaw, values)),
      guarded('store', () => storeCheck(session, values)),
      leftovers(CORPUS_PLUGIN),
    ]);
    return [program, ...checks.flat()];
  }
  const rest = await Promise.all([
    guarded('plugin', () => pluginCheck(session)),
    Promise.resolve(configChecks(values)),
    guarded('settings', () => Promise.resolve(settingsChecks(values))),
    leftovers(PLUGIN),
    guarded('store', () => memoryChecks(session, values)),
    guarded('gateway', () => gatewayCheck(session, values)),
  ]);
  return [program, ...rest.flat()];
}

function failed(name: string, error: unknown, { signal }: HostSession): Check {
  if (signal.aborted) throw new LociError('aborted', 'stopped');
  const { message, hint } = asLociError(error);
  return found(name, message, hint);
}

async function programCheck(session: HostSession): Promise<Check> {
  const { openclaw } = session;
  try {
    await openclaw.assertNode();
    return passed('openclaw', `version ${await openclaw.version()}`);
  } catch (error) {
    return failed('openclaw', error, session);
  }
}

async function pluginCheck({ openclaw }: HostSession): Promise<Check> {
  const plugin = (await openclaw.plugins()).find(({ id }) => id === PLUGIN);
  const hint = 'Run `loci openclaw setup`.';
  if (plugin?.status !== 'loaded')
    return found('plugin', `${PLUGIN} is ${plugin?.error ?? plugin?.status ?? 'not installed'}`, hint);
  const detail = `${PLUGIN} ${plugin.version ?? ''} is loaded`;
  if (await isThisPackage(plugin.rootDir)) return passed('plugin', detail);
  return found('plugin', `${detail}; it is not the version of this command`, hint, 'warning');
}

function settingsChecks(values: JsonMap): Check[] {
  parsePluginConfig(PLUGIN, pluginConfig(values));
  const owner = ownerProblem(values);
  return [
    passed('settings', `plugins.entries.${PLUGIN}.config is valid`),
    passed('conversations', conversationsText(values)),
    ...(owner === null ? [] : [found('owner', ...owner, 'warning')]),
  ];
}

/** Whether the store can be read, and whether the index of each agent's memory files is current. */
async function memoryChecks(session: HostSession, values: JsonMap): Promise<Check[]> {
  const agents = await session.openclaw.agents();
  const home = lociHomeOf(session, values);
  const states = await workspaceStates(pluginConfig(values), home, workspacesIn(values, agents));
  const hint = 'A running gateway reads them within a minute; `loci openclaw setup` reads them now.';
  return [
    passed('store', home),
    ...states.map(({ agent, folder, changes, wasRead }): Check => {
      const name = `memory of ${agent}`;
      if (!wasRead) return found(name, `${folder} was not read yet`, hint, 'warning');
      if (changes === '') return passed(name, `${folder} is indexed`);
      return found(name, `${folder}: since it was read, ${changes}`, hint, 'warning');
    }),
  ];
}

/** Whether the plugin beside memory-core has something to find. */
async function storeCheck(session: HostSession, values: JsonMap): Promise<Check> {
  const home = lociHomeOf(session, values, CORPUS_PLUGIN);
  await workspaceStates({}, home, []);
  return passed('store', home);
}

async function gatewayCheck({ openclaw, io }: HostSession, values: JsonMap): Promise<Check> {
  const port = gatewayPort(values, io.env);
  const name = 'gateway';
  if (!(await isListening(port)))
    return found(
      name,
      `no gateway listens at port ${String(port)}, so that memory_search was not tried`,
      'Start it with `openclaw gateway`, and run this again.',
      'warning',
    );
  const { isLoci, problem } = await probeMemorySearch(openclaw);
  if (isLoci) return passed(name, 'memory_search is answered by Loci');
  const hint = 'Solve the problems above, then run `openclaw gateway restart`.';
  return found(name, escapeControl(problem), hint);
}

/** Finds the remains of a setup or an undo that did not end. */
async function leftoversCheck(files: ConfigFiles, home: string): Promise<Check> {
  const leftovers = [
    ...(await unfinishedSetup(files, home)),
    ...unusedPlugin(files, home),
    ...(await abandonedCopies(dirname(files.root))),
  ];
  return allFound('earlier setup', leftovers, 'it left nothing behind', 'warning');
}

/** The backup is made before the keys are changed, and removed after they were restored. */
async function unfinishedSetup(files: ConfigFiles, home: string): Promise<SetupProblem[]> {
  const backup = new Backup(home);
  const manifest = await backup.manifest();
  if (manifest === null || manifest.configFile !== files.root) return [];
  const values = files.values();
  const isInForce = manifest.plugin === PLUGIN ? valueAt(values, SLOT) === PLUGIN : usesCorpusPlugin(values);
  if (isInForce) return [];
  return [
    [
      `setup of ${manifest.plugin} did not end, or its keys were removed; ${backup.folder} has the configuration before it`,
      'Run `loci openclaw undo` to restore that, or `loci openclaw setup` to complete it.',
    ],
  ];
}

function unusedPlugin(files: ConfigFiles, home: string): SetupProblem[] {
  const folder = pluginsFolder(home);
  const isLoaded = listAt(files.values(), ...LOAD_PATHS).some(
    (path) => typeof path === 'string' && dirname(path) === folder,
  );
  if (isLoaded || !existsSync(folder)) return [];
  return [
    [
      `${folder} has a copy of the plugin that OpenClaw does not load`,
      `Restart the gateway, then remove ${folder}.`,
    ],
  ];
}

async function abandonedCopies(folder: string): Promise<SetupProblem[]> {
  const names = (await readdir(folder)).filter(isAbandonedCopy);
  if (names.length === 0) return [];
  return [[`${folder} has copies of the configuration: ${names.join(', ')}`, 'Remove them.']];
}
