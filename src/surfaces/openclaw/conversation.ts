import { withoutFences } from './fence.ts';
import type { GatewayMemory } from './gateway-memory.ts';
import type { PluginApi, TurnContext } from './host/api.ts';
import { DEFAULT_AGENT } from './host/turn.ts';
import { messageOfUser } from './recall.ts';
import { statedFacts } from './stated-facts.ts';

/** What happens with a conversation after each turn. All of it is off by default. */
export interface ConversationParts {
  /** Facts that the owner states are written as records (auto-capture). */
  readonly capture: boolean;
  /** Messages and answers are stored, and expire. */
  readonly sessions: boolean;
}

const MAX_SESSIONS = 1000;

/** Remembers what is said in turns that people start, after the turn. */
export function registerConversation(api: PluginApi, memory: GatewayMemory, parts: ConversationParts): void {
  /** The messages of turns that are running, by session. */
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
  api.on('agent_end', async (event, turn) => {
    const { sessionKey = '' } = turn;
    const message = messages.get(sessionKey);
    messages.delete(sessionKey);
    if (message === undefined || !event.success) return;
    try {
      if (parts.capture) await capture(memory, message, turn);
      if (parts.sessions) await storeTurn(memory, message, lastAnswer(event.messages), turn);
      lastProblem = '';
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== lastProblem) api.logger.warn(`what was said is not remembered: ${problem}`);
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
  await tools.captureFacts(engine, facts, { turn: { ...known, agent }, origin: originOf(turn) });
}

async function storeTurn(
  memory: GatewayMemory,
  message: string,
  answer: string,
  turn: TurnContext,
): Promise<void> {
  const { engine, tools } = await memory.open();
  await tools.storeConversation(engine, turn.agentId ?? DEFAULT_AGENT, {
    text: answer === '' ? `User: ${message}` : `User: ${message}\n\nAgent: ${answer}`,
    origin: originOf(turn),
  });
}

function originOf({ sessionKey = '', sessionId, runId }: TurnContext): Readonly<Record<string, string>> {
  return {
    session: sessionKey,
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(runId !== undefined && { run: runId }),
  };
}

interface HostMessage {
  readonly role?: unknown;
  readonly content?: unknown;
}

/** The text of the agent's last message; `''` if it has none. */
export function lastAnswer(messages: readonly unknown[]): string {
  const answers = messages.filter(
    (message): message is HostMessage =>
      typeof message === 'object' && message !== null && (message as HostMessage).role === 'assistant',
  );
  const content = answers.at(-1)?.content;
  if (typeof content === 'string') return withoutFences(content);
  if (!Array.isArray(content)) return '';
  const texts = content.flatMap((part: unknown) => {
    const { type, text } = (part ?? {}) as { readonly type?: unknown; readonly text?: unknown };
    return type === 'text' && typeof text === 'string' ? [text] : [];
  });
  return withoutFences(texts.join('\n'));
}
