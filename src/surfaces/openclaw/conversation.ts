import { formatCount } from '../../core/text/format-count.ts';
import type { GatewayMemory } from './gateway-memory.ts';
import type { PluginApi, TurnContext } from './host/api.ts';
import { DEFAULT_AGENT, type Turn } from './host/turn.ts';
import { messageOfUser } from './recall.ts';

const MAX_SESSIONS = 1000;

/** Writes facts that the owner asks to remember as records, after the turn (auto-capture). */
export function registerCapture(api: PluginApi, memory: GatewayMemory): void {
  /** The messages of turns that are running, by session. */
  const messages = new Map<string, Said>();
  api.on(
    'before_prompt_build',
    (event, turn) => {
      const message = messageOfUser(event, turn);
      const known = memory.turns.of(turn);
      // Only what the owner says is remembered, and only in a turn that may write.
      if (message === null || known?.isOwner !== true) return Promise.resolve(undefined);
      const key = keyOf(turn);
      messages.delete(key);
      messages.set(key, { message, turn: { ...known, agent: turn.agentId ?? DEFAULT_AGENT } });
      const [oldest] = messages.keys();
      if (messages.size > MAX_SESSIONS && oldest !== undefined) messages.delete(oldest);
      return Promise.resolve(undefined);
    },
    { requiresToolAuthority: true },
  );
  let lastProblem = '';
  api.on('agent_end', async (event, turn) => {
    const said = messages.get(keyOf(turn));
    messages.delete(keyOf(turn));
    // Somebody else may have joined the session meanwhile, so that the message may be theirs.
    if (said === undefined || memory.turns.of(turn)?.isOwner !== true || !event.success) return;
    try {
      const secrets = await capture(memory, said, turn);
      if (secrets > 0) api.logger.info(`not remembered: ${formatCount(secrets, 'sentence')} with a secret`);
      lastProblem = '';
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== lastProblem) api.logger.warn(`what was said is not remembered: ${problem}`);
      lastProblem = problem;
    }
  });
}

/** A message of the owner, and what its turn may do. */
interface Said {
  readonly message: string;
  readonly turn: Turn;
}

function keyOf({ sessionKey, runId }: TurnContext): string {
  return JSON.stringify([sessionKey, runId]);
}

/** Returns how many sentences were left out because they have a secret. */
async function capture(
  memory: GatewayMemory,
  { message, turn }: Said,
  context: TurnContext,
): Promise<number> {
  const { engine, tools } = await memory.open();
  const { secrets } = await tools.captureMessage(engine, message, { turn, origin: originOf(context) });
  return secrets;
}

function originOf({ sessionKey = '', sessionId, runId }: TurnContext): Readonly<Record<string, string>> {
  return {
    session: sessionKey,
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(runId !== undefined && { run: runId }),
  };
}
