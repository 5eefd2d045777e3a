import type { TurnContext } from './api.ts';

/** What may start a turn for which something is recalled. */
export const RECALL_TRIGGERS = ['user', 'cron', 'heartbeat', 'subagent'] as const;
export type RecallTrigger = (typeof RECALL_TRIGGERS)[number];
export const DEFAULT_TRIGGERS: readonly RecallTrigger[] = ['user'];

/** Whether an agent has started the session for a task of its own. */
export function isSubagent({ sessionKey = '' }: Pick<TurnContext, 'sessionKey'>): boolean {
  return sessionKey.includes(':subagent:');
}

/** What has started a turn; `null` for anything else, such as a message of another session. */
export function triggerOf(turn: TurnContext): RecallTrigger | null {
  const { trigger, inputProvenance } = turn;
  // The host starts a subagent with the trigger `user`.
  if (isSubagent(turn)) return 'subagent';
  if (trigger === 'cron' || trigger === 'heartbeat') return trigger;
  const isOfUser = inputProvenance === undefined || inputProvenance.kind === 'external_user';
  return trigger === 'user' && isOfUser ? 'user' : null;
}
