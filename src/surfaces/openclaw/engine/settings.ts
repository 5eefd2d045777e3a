import { join } from 'node:path';
import { z } from 'zod';
import type { HostSettings } from '../../../config/load.ts';
import { label } from '../../../config/values.ts';
import { LociError, messageOf } from '../../../core/errors.ts';
import type { JsonMap } from '../../../core/json.ts';
import { parseInput } from '../../../operations/shared/input.ts';
import type { Workspace } from './agent-workspaces.ts';
import { DEFAULT_NON_OWNER, DEFAULT_SANDBOXED, DEFAULT_TRIGGERS, RECALL_TRIGGERS } from '../host/turn.ts';

const whole = (min: number, max: number, value: number, text: string) =>
  z.number().int().min(min).max(max).default(value).describe(text);
const flag = (value: boolean, text: string) => z.boolean().default(value).describe(text);
const section = <Shape extends z.core.$ZodShape>(shape: Shape, text: string) =>
  z
    .strictObject(shape)
    .prefault({} as never)
    .describe(text);

const access = (defaults: { readonly read: 'none' | 'agent' | 'all'; readonly write: boolean }) => ({
  read: z
    .enum(['none', 'agent', 'all'])
    .default(defaults.read)
    .describe(
      'What such a turn may read: `none`, the memory of the `agent` alone, or `all`, with the shared namespaces.',
    ),
  write: flag(defaults.write, 'Whether such a turn may write records and facts.'),
});

const NEEDS_CONVERSATIONS = 'Needs `hooks.allowConversationAccess: true` in the entry of the plugin.';

/** The settings that only OpenClaw's plugins have. All others are those of `loci.yaml`. */
const pluginSettings = z.strictObject({
  home: z
    .string()
    .min(1)
    .exactOptional()
    .describe('The home folder, with `loci.yaml` and the store. The default is `LOCI_HOME`, then `~/.loci`.'),
  agents: z
    .record(z.string(), z.strictObject({ namespace: label() }))
    .default({})
    .describe(
      'The namespaces of agents, by their ids. The default is `agent:ID`. Agents with the same namespace share their memory.',
    ),
  shared: z
    .array(label())
    .max(8)
    .exactOptional()
    .describe(
      'The namespaces that every agent may read, in addition to its own. The default is the configured one, which has the ' +
        'vaults, the sources and what the owner has written.',
    ),
  maxResults: whole(
    1,
    50,
    6,
    'How many results `memory_search` returns, unless the agent asks for another number.',
  ),
  maxTokens: whole(200, 20_000, 1200, 'The longest answer of `memory_search`, in tokens, by an estimate.'),
  nonOwner: section(
    {
      ...access(DEFAULT_NON_OWNER),
      perSender: flag(
        DEFAULT_NON_OWNER.perSender,
        'Whether each sender, or each conversation whose senders are unknown, has a memory of its own, in place of what ' +
          '`read` allows. Its namespace is `agent:ID/peer:HASH`.',
      ),
      shared: z
        .array(label())
        .max(8)
        .default([...DEFAULT_NON_OWNER.shared])
        .describe('The namespaces that such a turn may read in any case.'),
    },
    'What turns may do whose message comes from somebody else than the owner of the gateway.',
  ),
  sandboxed: section(access(DEFAULT_SANDBOXED), 'What turns in a sandbox may do.'),
  workspace: section(
    {
      enabled: flag(
        true,
        'Whether `MEMORY.md`, `USER.md` and `memory/` of each agent’s workspace are indexed.',
      ),
      intervalSeconds: whole(5, 86_400, 30, 'How often they are compared with the index.'),
    },
    'The memory files of workspaces.',
  ),
  autoRecall: section(
    {
      enabled: flag(false, 'Whether what memory knows is put after each message of the user.'),
      triggers: z
        .array(z.enum(RECALL_TRIGGERS))
        .default([...DEFAULT_TRIGGERS])
        .describe(
          'What a turn may have been started by: a message of a `user`, `cron`, a `heartbeat`, or as a `subagent`.',
        ),
      limit: whole(1, 10, 3, 'How many records at most.'),
      minScore: z
        .number()
        .min(0)
        .max(1)
        .default(0.5)
        .describe('The least probability that the best record is about the message.'),
      maxChars: whole(200, 20_000, 2400, 'The longest text, in characters.'),
    },
    NEEDS_CONVERSATIONS,
  ),
  autoCapture: section(
    {
      enabled: flag(
        false,
        'Whether facts that the owner asks to remember are written as records. `writes.enabled` must be true.',
      ),
      maxPerTurn: whole(1, 10, 3, 'How many facts of a turn at most.'),
      maxPerDay: whole(1, 1000, 50, 'How many facts of a day at most.'),
    },
    NEEDS_CONVERSATIONS,
  ),
  sessions: section(
    {
      enabled: z
        .boolean()
        .exactOptional()
        .describe(
          'Whether they are indexed. The default is what `memory.search.rememberAcrossConversations` means to OpenClaw: yes, unless ' +
            'direct messages are in sessions of their own. With `true`, they are also found without `corpus`.',
        ),
      since: z.iso
        .date()
        .exactOptional()
        .describe(
          'A day: what was said before is left out. The default is the moment at which they were indexed for the first time.',
        ),
      days: whole(1, 365, 90, 'For how many days they are kept.'),
    },
    'The private conversations of the owner with each agent. Only the owner’s turns in private sessions find them.',
  ),
  dreaming: z
    .strictObject({ enabled: z.literal(false).describe('Must be false.') })
    .exactOptional()
    .describe(
      'Only `enabled: false`. OpenClaw reads it: with it, memory-core does not start beside the plugin.',
    ),
});

export type PluginSettings = z.infer<typeof pluginSettings>;

/** The JSON Schema of the settings, for the manifest of the plugin. */
export function pluginSettingsSchema(): JsonMap {
  return z.toJSONSchema(pluginSettings, { io: 'input', unrepresentable: 'any' }) as JsonMap;
}

/**
 * Divides the configuration of a plugin into its own settings and those of `loci.yaml`.
 * @param workspaces those of the agents, whose skills may define sources
 * @throws LociError `invalid_config` that names each wrong setting of the plugin
 */
export function parsePluginConfig(
  plugin: string,
  config: Readonly<Record<string, unknown>>,
  workspaces: readonly Pick<Workspace, 'folder'>[] = [],
): { readonly settings: PluginSettings; readonly hostSettings: HostSettings } {
  const place = `plugins.entries.${plugin}.config`;
  const own: JsonMap = {};
  const tree: JsonMap = {};
  for (const [key, value] of Object.entries(structuredClone(config) as JsonMap))
    (Object.hasOwn(pluginSettings.shape, key) ? own : tree)[key] = value;
  try {
    const skillFolders = [...new Set(workspaces.map(({ folder }) => join(folder, 'skills')))];
    return {
      settings: parseInput({ input: pluginSettings }, own),
      hostSettings: { tree, place, skillFolders },
    };
  } catch (error) {
    const problems = messageOf(error).split('\n');
    throw new LociError('invalid_config', problems.map((each) => `${place}: ${each}`).join('\n'), {
      hint: `Correct ${place} in openclaw.json; docs/openclaw.md lists every setting.`,
      cause: error,
    });
  }
}
