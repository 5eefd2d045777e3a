import { z } from 'zod';
import type { StartupMode, StartupText } from '../../engine/startup/startup.ts';
import { agentName } from './startup-fields.ts';

/** What previewing and injecting share. */
export interface StartupTextInput {
  readonly model?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly mode?: StartupMode;
}

export interface StartupTextOutput {
  readonly text: string;
  readonly mode: StartupMode;
  readonly characters: number;
  readonly budget: number;
  readonly included: { readonly key: string; readonly priority: number; readonly characters: number }[];
  readonly left_out: {
    readonly key: string;
    readonly priority: number;
    readonly why: string;
    readonly too_long: boolean;
  }[];
}

const MODES: readonly [StartupMode, StartupMode, StartupMode] = ['always', 'first-run', 'digest'];

export const startupTextInput: z.ZodType<StartupTextInput> = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('The model: the longest part of its name that has a budget in the settings chooses it.'),
  agent: agentName().exactOptional().describe('The agent: its own entries, and those for all.'),
  session: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('The session: what it was told before decides in the modes first-run and digest.'),
  mode: z.enum(MODES).exactOptional().describe('As configured (digest) unless given.'),
});

export const startupTextOutput: z.ZodType<StartupTextOutput> = z.strictObject({
  text: z.string().describe('What is injected; the same selection gives the same text, byte for byte.'),
  mode: z.enum(MODES),
  characters: z.number().int().nonnegative(),
  budget: z.number().int().nonnegative().describe('In characters.'),
  included: z.array(
    z.strictObject({ key: z.string(), priority: z.number().int(), characters: z.number().int() }),
  ),
  left_out: z.array(
    z.strictObject({
      key: z.string(),
      priority: z.number().int(),
      why: z.string(),
      too_long: z.boolean().describe('Whether it is for want of room.'),
    }),
  ),
});

export function startupTextOf({ text, mode, budget, included, leftOut }: StartupText): StartupTextOutput {
  return {
    text,
    mode,
    characters: text.length,
    budget,
    included: included.map(({ key, priority, content }) => ({ key, priority, characters: content.length })),
    left_out: leftOut.map(({ entry: { key, priority }, why, tooLong }) => ({
      key,
      priority,
      why,
      too_long: tooLong,
    })),
  };
}
