import { answerWithin } from './host/deadline.ts';
import { withoutFences } from './fence.ts';
import type { GatewayMemory } from './gateway-memory.ts';
import type { PluginApi, PromptEvent, TurnContext } from './host/api.ts';
import { DEFAULT_AGENT } from './host/turn.ts';

/** A turn does not wait longer for the recall of its message. */
const DEADLINE_MS = 1500;
/** Shorter messages, such as "yes", are about what was said before. */
const MIN_MESSAGE_LENGTH = 8;
/** The rest of a longer message is not looked at. In characters. */
const MAX_MESSAGE_LENGTH = 20_000;

/**
 * Puts recalled text before each message of the user (auto-recall). It is a part of the message and not of the system prompt, so
 * that the prompt before it stays the same for the cache of the model.
 */
export function registerRecall(api: PluginApi, memory: GatewayMemory): void {
  const texts = new RecentTexts();
  api.on(
    'before_prompt_build',
    async (event, turn) => {
      try {
        const text = await answerWithin(recall(memory, texts, event, turn), DEADLINE_MS);
        turn.toolAuthority?.assertActive();
        return text === '' ? undefined : { prependContext: text };
      } catch {
        // A turn never fails for lack of memory; `memory_search` tells the agent what is wrong.
        return undefined;
      }
    },
    { requiresToolAuthority: true },
  );
}

/** The message of the user in this turn; `null` for a turn that a program started, such as a schedule. */
export function messageOfUser(event: PromptEvent, turn: TurnContext): string | null {
  if (turn.trigger !== 'user') return null;
  if (turn.inputProvenance !== undefined && turn.inputProvenance.kind !== 'external_user') return null;
  const message = withoutFences((event.currentUserMessage ?? event.prompt).slice(0, MAX_MESSAGE_LENGTH));
  return message.length < MIN_MESSAGE_LENGTH ? null : message;
}

async function recall(
  memory: GatewayMemory,
  texts: RecentTexts,
  event: PromptEvent,
  turn: TurnContext,
): Promise<string> {
  const message = messageOfUser(event, turn);
  const known = memory.turns.of(turn.sessionKey);
  // Without its tools, it is unknown who has sent the message, and so whose memory it may see.
  if (message === null || known === undefined || turn.toolAuthority?.allows('memory_search') !== true)
    return '';
  const key = JSON.stringify([turn.sessionKey, turn.runId, known.isOwner, known.isSandboxed, message]);
  const before = texts.get(key);
  if (before !== undefined) return before;
  const { engine, recallText } = await memory.open();
  const text = await recallText(engine, message, { ...known, agent: turn.agentId ?? DEFAULT_AGENT });
  texts.set(key, text);
  return text;
}

/** The texts of the last turns: the host builds the prompt of a turn several times, and must get the same bytes. */
class RecentTexts {
  readonly #texts = new Map<string, string>();

  get(key: string): string | undefined {
    return this.#texts.get(key);
  }

  set(key: string, text: string): void {
    this.#texts.set(key, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > MAX_TURNS && oldest !== undefined) this.#texts.delete(oldest);
  }
}

const MAX_TURNS = 200;
