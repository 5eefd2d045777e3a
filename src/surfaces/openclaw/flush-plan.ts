import type { FlushPlan, HostConfig, MemoryCapability } from './host/api.ts';

/** The defaults of memory-core. */
const SOFT_THRESHOLD_TOKENS = 4000;
const FORCE_FLUSH_BYTES = 2 * 1024 * 1024;
const RESERVE_TOKENS = 20_000;

/** The word with which an agent of OpenClaw answers nothing. */
const NO_REPLY = 'NO_REPLY';

/**
 * The turn in which an agent saves what it must not forget before the host shortens the session. It can only append to the day's
 * file, which is indexed with the other memory files of the workspace.
 */
export const flushPlan: MemoryCapability['flushPlanResolver'] = ({ cfg, nowMs, contextWindowTokens }) => {
  const settings = cfg?.agents?.defaults?.compaction?.memoryFlush ?? {};
  if (settings.enabled === false) return null;
  const relativePath = `memory/${dayOf(nowMs ?? Date.now(), cfg)}.md`;
  const reserveTokensFloor = Math.min(RESERVE_TOKENS, Math.floor((contextWindowTokens ?? Infinity) / 2));
  const softThreshold = settings.softThresholdTokens ?? SOFT_THRESHOLD_TOKENS;
  const forced = settings.forceFlushTranscriptBytes;
  return {
    softThresholdTokens:
      contextWindowTokens === undefined
        ? softThreshold
        : Math.min(softThreshold, Math.floor((contextWindowTokens - reserveTokensFloor) / 2)),
    forceFlushTranscriptBytes: typeof forced === 'number' ? forced : FORCE_FLUSH_BYTES,
    reserveTokensFloor,
    ...(settings.model !== undefined && { model: settings.model }),
    ...prompts(relativePath),
    relativePath,
  };
};

function prompts(file: string): Pick<FlushPlan, 'prompt' | 'systemPrompt'> {
  const rules = [
    `Store durable memories only in ${file} (create memory/ if needed).`,
    `If ${file} already exists, APPEND new content only and do not overwrite existing entries.`,
    'Treat MEMORY.md, USER.md, SOUL.md, AGENTS.md and other workspace files as read-only during this turn.',
    `If there is nothing to store, reply with ${NO_REPLY}.`,
  ].join(' ');
  return {
    prompt: `Pre-compaction memory flush. ${rules}`,
    systemPrompt: `Pre-compaction memory flush turn. The session is about to be shortened: save what will matter later. ${rules}`,
  };
}

/** The date in the time zone of the user, as OpenClaw names the files of days. */
function dayOf(now: number, cfg: HostConfig | undefined): string {
  const { userTimezone } = (cfg?.agents?.defaults ?? {}) as { readonly userTimezone?: unknown };
  const timeZone = typeof userTimezone === 'string' ? userTimezone : undefined;
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(now);
  } catch {
    // The configured time zone does not exist.
    return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' }).format(now);
  }
}
