import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { isSubject } from '../../core/caller.ts';
import { factKey } from '../facts/fact-fields.ts';
import { contentField, maskedKinds } from '../fields/record-fields.ts';
import { isoTime } from '../fields/times.ts';
import type { StartupEntry } from '../../store/admin-model.ts';

const MAX_PRIORITY = 9;
const MAX_POSITION = 10_000;

export const agentName = () =>
  z.string().trim().min(1).max(128).refine(isSubject, 'expected a name without control characters');

/** A startup entry in the output of every operation. */
export const startupEntry = z.strictObject({
  key: z.string(),
  agent: z.string().nullable().describe('The agent that it is for; null: every agent.'),
  priority: z.number().int().describe('Lower numbers come first.'),
  reinforce: z.boolean().describe('Whether it is repeated while nothing has changed.'),
  characters: count(),
  content: z.string(),
  updated_at: z.iso.datetime(),
});
export type StartupEntryOutput = z.infer<typeof startupEntry>;

export const listStartupOutput = z.strictObject({
  entries: z.array(startupEntry).describe('In the order of the text.'),
  budgets: z
    .array(
      z.strictObject({
        model: z.string().nullable().describe('A part of the names of models; null for all others.'),
        characters: z.number().int(),
      }),
    )
    .describe('The budgets that the settings give.'),
});

export type StartupListOutput = z.infer<typeof listStartupOutput>;

export const removeStartupInput = z.strictObject({
  key: factKey().describe('The key, as `startup list` shows it.'),
  agent: agentName().exactOptional().describe('The agent of an entry that is for one agent.'),
});

export const removeStartupOutput = z.strictObject({ removed: startupEntry });

export type StartupRemoveOutput = z.infer<typeof removeStartupOutput>;

export const setStartupInput = z.strictObject({
  key: factKey().describe('The name of the entry, such as `soul` or `core-rules`.'),
  content: contentField().exactOptional().describe('The text; required for a new entry.'),
  priority: z
    .number()
    .int()
    .min(0)
    .max(MAX_PRIORITY)
    .exactOptional()
    .describe('0 (most important) to 9; 2 for a new entry unless given.'),
  position: z
    .number()
    .int()
    .min(1)
    .max(MAX_POSITION)
    .exactOptional()
    .describe(
      'Its place among the entries of its priority, from 1. They are in the order of their keys until one is moved.',
    ),
  reinforce: z.boolean().exactOptional().describe('Repeat it while nothing has changed.'),
  agent: agentName()
    .exactOptional()
    .describe('For this agent only, instead of the entry with the same key for every agent.'),
});

export const setStartupOutput = z.strictObject({
  entry: startupEntry,
  created: z.boolean(),
  masked: maskedKinds(),
  too_long: z.string().nullable().describe('Why agents do not get all of the entry; null when it fits.'),
});

export type StartupSetOutput = z.infer<typeof setStartupOutput>;

const startupMode = z.enum(['always', 'first-run', 'digest']);

export const startupTextInput = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('The model. The longest part of its name that has a budget in the settings sets the budget.'),
  agent: agentName()
    .exactOptional()
    .describe('The agent. It gets its own entries and those for every agent.'),
  session: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('The session. In the modes first-run and digest, the text depends on what it has seen before.'),
  mode: startupMode.exactOptional().describe('The configured mode (digest) unless given.'),
});

export const previewStartupInput = startupTextInput.extend({
  draft: z
    .strictObject({
      key: setStartupInput.shape.key,
      content: contentField(),
      priority: setStartupInput.shape.priority,
      agent: setStartupInput.shape.agent,
    })
    .exactOptional()
    .describe('An entry as it would be: the preview has it in place of the stored one.'),
});

const listed = {
  key: z.string(),
  agent: z.string().nullable().describe('The agent that it is for; null: every agent.'),
  priority: z.number().int(),
};

export const startupTextOutput = z.strictObject({
  text: z.string().describe('The text to inject; the same entries give the same text, byte for byte.'),
  mode: startupMode,
  characters: count(),
  budget: count().describe('In characters.'),
  included: z.array(
    z.strictObject({
      ...listed,
      characters: z.number().int().describe('As given.'),
      cut_from: z
        .number()
        .int()
        .nullable()
        .describe('How many characters the entry has when it was cut to fit; null: it is given whole.'),
    }),
  ),
  left_out: z.array(
    z.strictObject({
      ...listed,
      why: z.string(),
      too_long: z.boolean().describe('Whether it did not fit into the budget.'),
    }),
  ),
  notice: z
    .string()
    .exactOptional()
    .describe(
      'Why it was not recorded that the session has seen the text, such as in a store that is read-only.',
    ),
});

export type StartupTextOutput = z.infer<typeof startupTextOutput>;

/** `null` for every agent. */
export function agentOf(agent: string): string | null {
  return agent === '' ? null : agent;
}

export function formatStartupEntry(entry: StartupEntry): StartupEntryOutput {
  const { key, agent, priority, reinforce, content, updatedAt } = entry;
  return {
    key,
    agent: agentOf(agent),
    priority,
    reinforce,
    characters: content.length,
    content,
    updated_at: isoTime(updatedAt),
  };
}
