import { LRUCache } from 'lru-cache';
import { answerWithin, type GatewayMemory } from './gateway-memory.ts';
import type { PluginApi, PromptEvent, TurnContext } from './host/api.ts';
import { ProblemLog } from './host/messages.ts';
import { DEFAULT_AGENT, DEFAULT_TRIGGERS, type RecallTrigger, triggerOf, type Turn } from './host/turn.ts';
import type { StartupPrompt } from './prompt.ts';
import { formatCount } from '../../core/text/format-count.ts';

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
  /** The texts of the last turns: the host builds the prompt of a turn several times, and must get the same bytes. */
  readonly #texts = new LRUCache<string, string>({ max: MAX_TURNS });

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

const MAX_TURNS = 200;
const MAX_SESSIONS = 1000;

/** Writes facts that the owner asks to remember as records, after the turn (auto-capture). */
export function registerCapture(api: PluginApi, memory: GatewayMemory): void {
  /** The messages of turns that are running, by session. */
  const messages = new LRUCache<string, Said>({ max: MAX_SESSIONS });
  api.on(
    'before_prompt_build',
    (event, turn) => {
      const message = messageOfUser(event, turn);
      const known = memory.turns.of(turn);
      // Only what the owner says is remembered, and only in a turn that may write.
      if (message === null || known?.isOwner !== true) return Promise.resolve(undefined);
      messages.set(keyOf(turn), { message, turn: { ...known, agent: turn.agentId ?? DEFAULT_AGENT } });
      return Promise.resolve(undefined);
    },
    { requiresToolAuthority: true },
  );
  const problems = new ProblemLog((message) => api.logger.warn(message));
  api.on('agent_end', async (event, turn) => {
    const said = messages.get(keyOf(turn));
    messages.delete(keyOf(turn));
    // Somebody else may have joined the session meanwhile, so that the message may be theirs.
    if (said === undefined || memory.turns.of(turn)?.isOwner !== true || !event.success) return;
    try {
      const { engine, tools } = await memory.open();
      const { secrets } = await tools.captureMessage(engine, said.message, {
        turn: said.turn,
        origin: originOf(turn),
      });
      if (secrets > 0) api.logger.info(`not remembered: ${formatCount(secrets, 'sentence')} with a secret`);
      problems.solved(NOT_REMEMBERED);
    } catch (error) {
      problems.report(NOT_REMEMBERED, error);
    }
  });
}

const NOT_REMEMBERED = 'what was said is not remembered';

/** A message of the owner, and what its turn may do. */
interface Said {
  readonly message: string;
  readonly turn: Turn;
}

function keyOf({ sessionKey, runId }: TurnContext): string {
  return JSON.stringify([sessionKey, runId]);
}

function originOf({ sessionKey = '', sessionId, runId }: TurnContext): Readonly<Record<string, string>> {
  return {
    session: sessionKey,
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(runId !== undefined && { run: runId }),
  };
}

/** The bracket of a tag that opens or closes a fence, with any spaces and in any case. */
const BRACKET_OF_TAG = /<(?=[\s/]*loci-(?:recall|pack))/giu;
/** A whole fence with its text (`pack/render.ts`). One that is not closed ends with the text. */
const WHOLE_FENCE = /<(loci-(?:recall|pack)) id="([0-9a-f]{1,64})">[\s\S]*?(?:<\/\1 id="\2">|$)\s*/gu;

/** Removes the fences from a message, so that recalled text is not taken for what the user said. */
export function withoutFences(message: string): string {
  return message.replaceAll(WHOLE_FENCE, '').replaceAll(BRACKET_OF_TAG, '‹').trim();
}
