import type { GatewayMemory } from './gateway-memory.ts';
import type { PluginApi, TurnContext } from './host/api.ts';
import { DEFAULT_AGENT } from './host/turn.ts';
import { messageOfUser } from './recall.ts';
import { statedFacts } from './stated-facts.ts';

/** The messages of turns that are running, by session. */
const MAX_SESSIONS = 1000;

/** Writes the facts that the owner states as records, after the turn (auto-capture). */
export function registerCapture(api: PluginApi, memory: GatewayMemory): void {
  const messages = new Map<string, string>();
  api.on(
    'before_prompt_build',
    (event, turn) => {
      const message = messageOfUser(event, turn);
      const { sessionKey } = turn;
      if (message === null || sessionKey === undefined) return Promise.resolve(undefined);
      messages.delete(sessionKey);
      messages.set(sessionKey, message);
      const [oldest] = messages.keys();
      if (messages.size > MAX_SESSIONS && oldest !== undefined) messages.delete(oldest);
      return Promise.resolve(undefined);
    },
    { requiresToolAuthority: true },
  );
  let lastProblem = '';
  api.on('agent_end', async ({ success }, turn) => {
    const message = messages.get(turn.sessionKey ?? '');
    if (message === undefined) return;
    messages.delete(turn.sessionKey ?? '');
    if (!success) return;
    try {
      await capture(memory, message, turn);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== lastProblem) api.logger.warn(`a stated fact was not written: ${problem}`);
      lastProblem = problem;
    }
  });
}

async function capture(memory: GatewayMemory, message: string, turn: TurnContext): Promise<void> {
  const facts = statedFacts(message);
  const known = memory.turns.of(turn.sessionKey);
  // Only the owner's own words count, and only in a turn that may write.
  if (facts.length === 0 || known === undefined || !known.isOwner) return;
  const { engine, tools } = await memory.open();
  const agent = turn.agentId ?? DEFAULT_AGENT;
  await tools.captureFacts(engine, facts, {
    turn: { ...known, agent },
    origin: {
      session: turn.sessionKey ?? '',
      ...(turn.sessionId !== undefined && { session_id: turn.sessionId }),
      ...(turn.runId !== undefined && { run: turn.runId }),
    },
  });
}
