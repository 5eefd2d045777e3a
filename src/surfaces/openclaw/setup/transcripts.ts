import { dayText, DAY_MS } from '../../../core/time/whole-day.ts';
import type { JsonMap } from '../../../core/json.ts';
import { isAnsweredYes } from '../../shared/ask.ts';
import { type PluginSettings, parsePluginConfig } from '../engine/settings.ts';
import { agentIds, areConversationsRemembered } from '../host/agents.ts';
import type { HostConfig } from '../host/api.ts';
import type { ConfigFiles } from './config/config-files.ts';
import { PLUGIN, SLOT } from './config/plugin-keys.ts';
import { type HostSession, pluginConfig } from './session.ts';

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
  const isFirst = files.changes.some(({ path }) => path.join('.') === SLOT.join('.'));
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
