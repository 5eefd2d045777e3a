import { withoutFences } from './fence.ts';
import type { GatewayMemory } from './gateway-memory.ts';
import type { PluginApi, TurnContext } from './host/api.ts';
import { DEFAULT_AGENT, type Turn } from './host/turn.ts';
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
/** The rest of a longer answer is not stored. In characters. */
const MAX_ANSWER_LENGTH = 20_000;

/** Remembers what is said in turns that the owner starts, after the turn. */
export function registerConversation(api: PluginApi, memory: GatewayMemory, parts: ConversationParts): void {
  /** The messages of turns that are running, by session. */
  const messages = new Map<string, Said>();
  api.on(
    'before_prompt_build',
    (event, turn) => {
      const message = messageOfUser(event, turn);
      const known = memory.turns.of(turn.sessionKey);
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
    if (said === undefined || memory.turns.of(turn.sessionKey)?.isOwner !== true || !event.success) return;
    try {
      if (parts.capture) await capture(memory, said, turn);
      if (parts.sessions) await storeTurn(memory, said, lastAnswer(event.messages), turn);
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

async function capture(memory: GatewayMemory, { message, turn }: Said, context: TurnContext): Promise<void> {
  const facts = statedFacts(message);
  if (facts.length === 0) return;
  const { engine, tools } = await memory.open();
  await tools.captureFacts(engine, facts, { turn, origin: originOf(context) });
}

async function storeTurn(
  memory: GatewayMemory,
  { message, turn }: Said,
  answer: string,
  context: TurnContext,
): Promise<void> {
  const { engine, tools } = await memory.open();
  await tools.storeConversation(engine, {
    turn,
    text: answer === '' ? `User: ${message}` : `User: ${message}\n\nAgent: ${answer}`,
    origin: originOf(context),
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
  if (typeof content === 'string') return withoutFences(content.slice(0, MAX_ANSWER_LENGTH));
  if (!Array.isArray(content)) return '';
  const texts = content.flatMap((part: unknown) => {
    const { type, text } = (part ?? {}) as { readonly type?: unknown; readonly text?: unknown };
    return type === 'text' && typeof text === 'string' ? [text] : [];
  });
  return withoutFences(texts.join('\n').slice(0, MAX_ANSWER_LENGTH));
}
