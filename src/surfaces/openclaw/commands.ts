import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { memoryFor } from './gateway-memory.ts';
import { agentIds, workspacesOf } from './host/agents.ts';
import type { PluginApi } from './host/api.ts';
import { loadEngine } from './host/load-engine.ts';
import { DEFAULT_AGENT } from './host/turn.ts';

/** Adds `openclaw loci …` and `openclaw memory …`. Both accept what `loci` accepts. */
export function registerCommands(api: PluginApi, plugin: string): void {
  const register = (
    name: string,
    description: string,
    run: (words: readonly string[]) => Promise<void>,
  ): void => {
    api.registerCli(
      ({ program }) => {
        program
          .command(name)
          .description(description)
          .argument('[words...]', 'the words of the command')
          .allowUnknownOption()
          .helpOption(false)
          .action((words) => run(words));
      },
      { descriptors: [{ name, description, hasSubcommands: true }] },
    );
  };
  register(
    'memory',
    'Search, read and index the memory of an agent: openclaw memory [--agent ID] search|get|list|status|index …',
    (words) => {
      const { agent = agentIds(api.config)[0] ?? DEFAULT_AGENT, rest } = takeAgent(words);
      if (rest[0] === 'index' && rest.length === 1) return indexWorkspace(api, plugin, agent);
      return runLoci(api, plugin, rest, agent);
    },
  );
  register(
    'loci',
    'Use the command line of Loci, with the settings of the plugin: openclaw loci search oven',
    (words) => runLoci(api, plugin, words),
  );
}

/** The value of `--agent`, and the other words. */
export function takeAgent(words: readonly string[]): {
  readonly agent?: string;
  readonly rest: readonly string[];
} {
  const at = words.findIndex((word) => word === '--agent' || word.startsWith('--agent='));
  const word = words[at];
  if (word === undefined) return { rest: words };
  const isOneWord = word.includes('=');
  const agent = isOneWord ? word.slice(word.indexOf('=') + 1) : words[at + 1];
  const rest = words.toSpliced(at, isOneWord ? 1 : 2);
  return agent === undefined || agent === '' ? { rest } : { agent, rest };
}

/** Runs the command line in a process of its own, with the streams and signals of this one. */
async function runLoci(
  api: PluginApi,
  plugin: string,
  words: readonly string[],
  agent?: string,
): Promise<void> {
  const { pluginConfig = {}, rootDir } = api;
  const { COMMAND_LINE, loadCommandVariables } = await loadEngine(rootDir);
  const { commandVariables } = await loadCommandVariables();
  const workspaces = workspacesOf(api);
  const variables = await commandVariables({ plugin, pluginConfig, workspaces, agent });
  const child = spawn(process.execPath, [COMMAND_LINE, ...words], {
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** Reads the memory files of an agent's workspace that have changed. A running gateway does this by itself. */
async function indexWorkspace(api: PluginApi, plugin: string, agent: string): Promise<void> {
  const memory = memoryFor(plugin, api);
  try {
    const { engine } = await memory.open();
    await engine.workspaces.refresh(agent);
    const { records } = await engine.status(engine.namespaceOf(agent));
    process.stdout.write(`The memory of ${agent} is indexed: ${String(records)} records.\n`);
  } finally {
    await memory.close();
  }
}
