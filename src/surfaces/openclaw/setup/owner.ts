import { valueAt } from '../../../core/json-path.ts';
import { isJsonMap, type JsonMap } from '../../../core/json.ts';
import { parsePluginConfig } from '../engine/settings.ts';
import { listAt, PLUGIN, type SetupProblem } from './config/plugin-keys.ts';
import { pluginConfig } from './session.ts';

/** Why nobody has memory on channels such as Telegram, with the remedy; `null` if somebody has, or there are no channels. */
export function ownerProblem(values: JsonMap): SetupProblem | null {
  const channels = valueAt(values, ['channels']);
  if (!isJsonMap(channels) || Object.keys(channels).every((name) => name === 'defaults')) return null;
  // `*` lets everybody use commands, and makes nobody the owner.
  const isOwner = (entry: unknown): boolean => typeof entry === 'string' && !/(?:^|:)\*$/.test(entry.trim());
  if (listAt(values, 'commands', 'ownerAllowFrom').some(isOwner)) return null;
  const { read, perSender, shared } = parsePluginConfig(PLUGIN, pluginConfig(values)).settings.nonOwner;
  if (read !== 'none' || perSender || shared.length > 0) return null;
  return [
    'commands.ownerAllowFrom names nobody, so that nobody is the owner on a channel, and messages from there find no memory',
    `Name yourself as OpenClaw does, as in \`openclaw config set commands.ownerAllowFrom '["telegram:123456789"]'\`, or set plugins.entries.${PLUGIN}.config.nonOwner.read.`,
  ];
}
