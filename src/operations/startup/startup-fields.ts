import { z } from 'zod';
import { isSubject } from '../../core/caller.ts';
import type { StartupEntry } from '../../store/admin-model.ts';
import { isoTime } from '../../engine/fields/times.ts';

export const MAX_PRIORITY = 9;

export const agentName = () =>
  z.string().trim().min(1).max(128).refine(isSubject, 'expected a name without control characters');

/** A startup entry in the output of every operation. */
export const startupEntry = z.strictObject({
  key: z.string(),
  agent: z.string().nullable().describe('The agent that it is for; null: every agent.'),
  priority: z.number().int().describe('Lower numbers come first.'),
  reinforce: z.boolean().describe('Whether it is repeated while nothing has changed.'),
  characters: z.number().int().nonnegative(),
  content: z.string(),
  updated_at: z.iso.datetime(),
});
export type StartupEntryOutput = z.infer<typeof startupEntry>;

export function formatStartupEntry(entry: StartupEntry): StartupEntryOutput {
  const { key, agent, priority, reinforce, content, updatedAt } = entry;
  return {
    key,
    agent: agent === '' ? null : agent,
    priority,
    reinforce,
    characters: content.length,
    content,
    updated_at: isoTime(updatedAt),
  };
}
