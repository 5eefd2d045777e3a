import { z } from 'zod';
import { isSubject } from '../../core/subject.ts';
import type { StartupEntry } from '../../store/startup.ts';
import { isoTime } from '../shared/dates.ts';

/** A startup entry, as every verb tells it. */
export interface StartupEntryOutput {
  readonly key: string;
  readonly agent: string | null;
  readonly priority: number;
  readonly reinforce: boolean;
  readonly characters: number;
  readonly content: string;
  readonly updated_at: string;
}

export const MAX_PRIORITY = 9;

export const agentName = (): z.ZodString =>
  z.string().trim().min(1).max(128).refine(isSubject, 'expected a name without control characters');

export const startupEntry: z.ZodType<StartupEntryOutput> = z.strictObject({
  key: z.string(),
  agent: z.string().nullable().describe('Whom it is for; null: every agent.'),
  priority: z.number().int().describe('Lower ones come first.'),
  reinforce: z.boolean().describe('Whether it is said again while nothing has changed.'),
  characters: z.number().int().nonnegative(),
  content: z.string(),
  updated_at: z.iso.datetime(),
});

export function startupEntryOf({
  key,
  agent,
  priority,
  reinforce,
  content,
  updatedAt,
}: StartupEntry): StartupEntryOutput {
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
