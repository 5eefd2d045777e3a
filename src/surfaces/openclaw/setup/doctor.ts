import { existsSync } from 'node:fs';
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
import { changeKeys, changeKeysBeside, changeText, LOAD_PATHS, PLUGIN, pluginIn } from './plugin-keys.ts';
import { type ConfigFiles, listAt } from './config-files.ts';
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
  const { openclaw, signal } = session;
  const guarded = async (name: string, check: () => Promise<Check[]> | Check[]): Promise<Check[]> => {
    try {
      return await check();
    } catch (error) {
      if (signal.aborted) throw new LociError('aborted', 'stopped');
      const { message, hint } = asLociError(error);
      return [found(name, message, hint)];
    }
  };
  const program = await guarded('openclaw', async () => [
    passed('openclaw', `version ${await openclaw.version()}`),
  ]);
  if (program.some(({ result }) => result === 'failed')) return program;
  let files: ConfigFiles | undefined;
  const configuration = await guarded('configuration', async () => {
    files = await loadHostConfig(session);
    return [];
  });
  if (files === undefined) return [...program, ...configuration];
  const loaded = files;
  const values = loaded.values();
  const plugin = pluginIn(values);
  const isMemory = plugin === PLUGIN;
  const checks = await Promise.all([
    guarded('plugin', () => pluginCheck(session, plugin)),
    guarded('keys', () => keysCheck(loaded, isMemory)),
    guarded('settings', () => (isMemory ? settingsChecks(values) : [])),
    guarded('earlier setup', () => leftoversCheck(values, lociHomeOf(session, values, plugin))),
    guarded('store', () => memoryChecks(session, values, plugin)),
    guarded('gateway', () => (isMemory ? gatewayCheck(session, values) : [])),
  ]);
  return [...program, ...checks.flat()];
}

function passed(name: string, detail: string): Check {
  return { name, result: 'ok', detail, hint: null };
}

function found(name: string, detail: string, hint: string, result: 'failed' | 'warning' = 'failed'): Check {
  return { name, result, detail, hint };
}

async function pluginCheck({ openclaw }: HostSession, id: string): Promise<Check[]> {
  const { version = '', rootDir } = await openclaw.loadedPlugin(id);
  const detail = `${id} ${version} is loaded from ${rootDir}`;
  if (id !== PLUGIN || (await isThisPackage(rootDir))) return [passed('plugin', detail)];
  const hint = 'Run `loci openclaw setup`.';
  return [found('plugin', `${detail}; it is not the version of this command`, hint, 'warning')];
}

/** Finds the keys that setup would change. @throws LociError for what setup would refuse */
function keysCheck(files: ConfigFiles, isMemory: boolean): Check[] {
  if (isMemory) changeKeys(files, null, null);
  else changeKeysBeside(files, null);
  if (files.changes.length === 0) return [passed('keys', 'all keys are as setup sets them')];
  const setup = `loci openclaw setup${isMemory ? '' : ' --beside'}`;
  const missing = files.changes.map(changeText).join('\n');
  return [found('keys', `missing or different:\n${missing}`, `Run \`${setup}\`, which sets them.`)];
}

function settingsChecks(values: JsonMap): Check[] {
  const config = pluginConfig(values);
  const { settings } = parsePluginConfig(PLUGIN, config);
  const owner = ownerProblem(values);
  const access = `plugins.entries.${PLUGIN}.hooks.allowConversationAccess`;
  const needing = (['autoRecall', 'autoCapture'] as const).filter((name) => settings[name].enabled);
  return [
    passed('settings', `plugins.entries.${PLUGIN}.config is valid`),
    ...(needing.length > 0 && valueAt(values, access.split('.')) !== true
      ? [
          found(
            'conversation access',
            `${needing.join(' and ')} cannot work: the plugin may not read conversations`,
            `Set ${access} to true, or turn ${needing.join(' and ')} off.`,
          ),
        ]
      : []),
    passed('conversations', conversationsText(values)),
    ...(owner === null ? [] : [found('owner', ...owner, 'warning')]),
  ];
}

/** Whether the store can be read, and whether the index of each agent's memory files is current. */
async function memoryChecks(session: HostSession, values: JsonMap, plugin: string): Promise<Check[]> {
  const home = lociHomeOf(session, values, plugin);
  const agents = plugin === PLUGIN ? await session.openclaw.agents() : [];
  const states = await workspaceStates(
    plugin === PLUGIN ? pluginConfig(values) : {},
    home,
    workspacesIn(values, agents),
  );
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

async function gatewayCheck({ openclaw, io }: HostSession, values: JsonMap): Promise<Check[]> {
  const port = gatewayPort(values, io.env);
  const name = 'gateway';
  if (!(await isListening(port)))
    return [
      found(
        name,
        `no gateway listens at port ${String(port)}, so that memory_search was not tried`,
        'Start it with `openclaw gateway`, and run this again.',
        'warning',
      ),
    ];
  const { isLoci, problem } = await probeMemorySearch(openclaw);
  if (isLoci) return [passed(name, 'memory_search is answered by Loci')];
  const hint = 'Solve the problems above, then run `openclaw gateway restart`.';
  return [found(name, escapeControl(problem), hint)];
}

/** Finds a copy of the plugin that an `undo` beside a running gateway has left. */
function leftoversCheck(values: JsonMap, home: string): Check[] {
  const name = 'earlier setup';
  const folder = pluginsFolder(home);
  const isLoaded = listAt(values, LOAD_PATHS).some(
    (path) => typeof path === 'string' && dirname(path) === folder,
  );
  if (isLoaded || !existsSync(folder)) return [passed(name, 'it left nothing behind')];
  return [
    found(
      name,
      `${folder} has a copy of the plugin that OpenClaw does not load`,
      `Restart the gateway, then remove ${folder}.`,
      'warning',
    ),
  ];
}
