import { answerWithin } from './host/deadline.ts';
import { withoutFences } from './fence.ts';
import type { GatewayMemory } from './gateway-memory.ts';
import type { PluginApi, PromptEvent, TurnContext } from './host/api.ts';
import { DEFAULT_TRIGGERS, type RecallTrigger, triggerOf } from './host/triggers.ts';
import { DEFAULT_AGENT } from './host/turn.ts';
import type { StartupPrompt } from './prompt.ts';

/** A turn does not wait longer for the recall of its message. */
const DEADLINE_MS = 1500;
/** Shorter messages, such as "yes", are about what was said before. */
const MIN_MESSAGE_LENGTH = 8;
/** The rest of a longer message is not looked at. In characters. */
const MAX_MESSAGE_LENGTH = 20_000;

/**
 * Puts recalled text after each message of the user (auto-recall). The host drops it in later turns: everything before it,
 * with the user's own words, then has the same bytes as before, for the cache of the model.
 */
export function registerRecall(api: PluginApi, memory: GatewayMemory, startup: StartupPrompt): void {
  const recall = new Recall(api, memory, startup);
  api.registerHook(
    'agent:bootstrap',
    (event) => {
      memory.promptFiles.note(event);
    },
    { name: 'memory-loci-prompt-files' },
  );
  api.on(
    'before_prompt_build',
    async (event, turn) => {
      try {
        const text = await answerWithin(recall.textFor(event, turn), DEADLINE_MS);
        turn.toolAuthority?.assertActive();
        return text === '' ? undefined : { appendContext: text };
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
  return triggerOf(turn) === 'user' ? messageOf(event) : null;
}

/** What the turn is about; `null` if it is too short to say. */
function messageOf({ currentUserMessage, prompt }: PromptEvent): string | null {
  const message = withoutFences((currentUserMessage ?? prompt).slice(0, MAX_MESSAGE_LENGTH));
  return message.length < MIN_MESSAGE_LENGTH ? null : message;
}

class Recall {
  readonly #memory: GatewayMemory;
  readonly #startup: StartupPrompt;
  readonly #triggers: readonly RecallTrigger[];
  readonly #texts = new RecentTexts();

  constructor(api: PluginApi, memory: GatewayMemory, startup: StartupPrompt) {
    this.#memory = memory;
    this.#startup = startup;
    const { triggers } = (api.pluginConfig?.['autoRecall'] ?? {}) as {
      readonly triggers?: readonly RecallTrigger[];
    };
    this.#triggers = triggers ?? DEFAULT_TRIGGERS;
  }

  async textFor(event: PromptEvent, turn: TurnContext): Promise<string> {
    const trigger = triggerOf(turn);
    const message = trigger !== null && this.#triggers.includes(trigger) ? messageOf(event) : null;
    const known = this.#memory.turns.of(turn);
    // Without its tools, it is unknown who has sent the message, and so whose memory it may see.
    if (message === null || known === undefined || turn.toolAuthority?.allows('memory_search') !== true)
      return '';
    const key = JSON.stringify([turn.sessionKey, turn.runId, known, message]);
    const before = this.#texts.get(key);
    if (before !== undefined) return before;
    const agent = turn.agentId ?? DEFAULT_AGENT;
    const { engine, recallText } = await this.#memory.open();
    const prompt = [
      ...this.#startup.last(agent, turn.sessionKey),
      ...this.#memory.promptFiles.of(turn.sessionKey),
    ];
    const text = await recallText(engine, { query: message, prompt }, { ...known, agent });
    this.#texts.set(key, text);
    return text;
  }
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
