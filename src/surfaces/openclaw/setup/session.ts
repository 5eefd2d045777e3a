import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expandHome } from '../../../config/paths.ts';
import { configHome } from '../../../config/load.ts';
import { valueAt } from '../../../core/json-path.ts';
import { LociError } from '../../../core/errors.ts';
import { isJsonMap, type JsonMap } from '../../../core/json.ts';
import { StepDisplay } from '../../cli/format/step-display.ts';
import type { Io } from '../../shared/io.ts';
import type { RunStandalone, StandaloneCall } from '../../shared/run-standalone.ts';
import { STOP_SIGNALS } from '../../shared/stop-signals.ts';
import { PLUGIN, SLOT } from './plugin-keys.ts';
import { ConfigFiles, listAt } from './config-files.ts';
import { Openclaw } from './program.ts';
import { DAY_MS, dayText } from '../../../core/time/whole-day.ts';
import { isAnsweredYes } from '../../shared/ask.ts';
import { parsePluginConfig, type PluginSettings } from '../engine/settings.ts';
import { agentIds, areConversationsRemembered } from '../host/agents.ts';
import type { HostConfig } from '../host/api.ts';

/** What the commands about OpenClaw use while they run. */
export interface HostSession {
  readonly call: StandaloneCall;
  readonly io: Io;
  readonly openclaw: Openclaw;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Shows what is done now. It has to end before anything else is printed. */
  readonly steps: StepDisplay;
}

/** Makes a command. Ctrl-C aborts its signal, so that it can restore what it has changed. */
export function openclawCommand(run: (session: HostSession) => Promise<number>): RunStandalone {
  return async (call, io) => {
    const controller = new AbortController();
    const steps = new StepDisplay(io.stderr);
    const stop = (): void => {
      if (!controller.signal.aborted) steps.begin('stopping');
      controller.abort(new LociError('aborted', 'stopped'));
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    const { openclaw: path } = call.options;
    const options = {
      path: typeof path === 'string' ? path : 'openclaw',
      env: io.env,
      signal: controller.signal,
    };
    try {
      return await run({ call, io, openclaw: new Openclaw(options), signal: controller.signal, steps });
    } finally {
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
    }
  };
}

/** The configuration of OpenClaw. @throws LociError `not_found` if there is none yet */
export async function loadHostConfig({ openclaw }: HostSession): Promise<ConfigFiles> {
  const file = await openclaw.configFile();
  if ((await stat(file).catch(() => null)) === null)
    throw new LociError('not_found', `OpenClaw has no configuration yet: ${file} is missing`, {
      hint: 'Run `openclaw onboard` first, or set OPENCLAW_CONFIG_PATH.',
    });
  return ConfigFiles.load(file);
}

/** The settings of the plugin. */
export function pluginConfig(values: JsonMap, plugin: string = PLUGIN): JsonMap {
  const config = valueAt(values, ['plugins', 'entries', plugin, 'config']);
  return isJsonMap(config) ? config : {};
}

/** The Loci home that the plugin uses, or will use. @throws LociError `invalid_input` if `--home` is another one */
export function lociHomeOf({ call, io }: HostSession, values: JsonMap, plugin: string = PLUGIN): string {
  const { home: configured } = pluginConfig(values, plugin);
  const asked = configHome({ env: io.env, ...(call.home !== undefined && { home: call.home }) });
  if (typeof configured !== 'string') return asked;
  const home = resolve(expandHome(configured));
  if (call.home === undefined || asked === home) return home;
  throw new LociError('invalid_input', `${plugin} uses the home ${home} already, not ${asked}`, {
    hint: `Leave --home out, or change plugins.entries.${plugin}.config.home in openclaw.json.`,
  });
}

const SINCE: readonly string[] = ['plugins', 'entries', PLUGIN, 'config', 'sessions', 'since'];

/** The agents whose private conversations are remembered, and the settings about that. */
function remembered(values: JsonMap): {
  readonly agents: readonly string[];
  readonly sessions: PluginSettings['sessions'];
} {
  const { sessions } = parsePluginConfig(PLUGIN, pluginConfig(values)).settings;
  const config = values as HostConfig;
  const agents = agentIds(config).filter((id) => sessions.enabled ?? areConversationsRemembered(config, id));
  return { agents, sessions };
}

/** What happens with conversations, in words. */
export function conversationsText(values: JsonMap): string {
  const { agents, sessions } = remembered(values);
  if (agents.length === 0)
    return 'conversations are not remembered, as memory.search.rememberAcrossConversations or the setting sessions.enabled says';
  const { since, days } = sessions;
  const from =
    since === undefined
      ? 'from when the gateway reads them for the first time (`loci openclaw setup --transcripts`: from before, too)'
      : `since ${since}`;
  return `your private conversations with ${agents.join(' and ')} are remembered ${from}, for ${String(days)} days`;
}

/**
 * Lets the plugin read conversations from before it was installed, in memory, if `--transcripts` says so or the user agrees. It asks only
 * in the first setup.
 */
export async function agreeOnTranscripts(
  { call, io, signal }: HostSession,
  files: ConfigFiles,
): Promise<void> {
  const { agents, sessions } = remembered(files.values());
  if (agents.length === 0 || sessions.since !== undefined) return;
  const first = dayText(Date.now() - sessions.days * DAY_MS);
  // A later setup, which updates the plugin, does not ask again.
  const isFirst = files.changes.some(({ key }) => key === SLOT.join('.'));
  const mayAskUser = isFirst && call.options['yes'] !== true && call.options['dry-run'] !== true;
  const agrees =
    call.options['transcripts'] === true ||
    (mayAskUser &&
      (await isAnsweredYes(
        io,
        `OpenClaw remembers your private conversations, and Loci indexes new ones. May it also read those since ${first}?`,
        signal,
      )));
  if (agrees) files.set(SINCE, first);
}

/** Why nobody has memory on channels such as Telegram, with the remedy; `null` if somebody has, or there are no channels. */
export function ownerProblem(values: JsonMap): readonly [problem: string, remedy: string] | null {
  const channels = valueAt(values, ['channels']);
  if (!isJsonMap(channels) || Object.keys(channels).every((name) => name === 'defaults')) return null;
  // `*` lets everybody use commands, and makes nobody the owner.
  const isOwner = (entry: unknown): boolean => typeof entry === 'string' && !/(?:^|:)\*$/.test(entry.trim());
  if (listAt(values, ['commands', 'ownerAllowFrom']).some(isOwner)) return null;
  const { read, perSender, shared } = parsePluginConfig(PLUGIN, pluginConfig(values)).settings.nonOwner;
  if (read !== 'none' || perSender || shared.length > 0) return null;
  return [
    'commands.ownerAllowFrom names nobody, so that nobody is the owner on a channel, and messages from there find no memory',
    `Name yourself as OpenClaw does, as in \`openclaw config set commands.ownerAllowFrom '["telegram:123456789"]'\`, or set plugins.entries.${PLUGIN}.config.nonOwner.read.`,
  ];
}
