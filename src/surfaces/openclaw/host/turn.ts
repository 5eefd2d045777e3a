import { LRUCache } from 'lru-cache';
import type { ConversationRecall, ToolContext, TurnContext } from './api.ts';

/** Who a call is for. */
export interface Turn {
  readonly agent: string;
  /** Whether the owner of the gateway wrote the message. Otherwise somebody else did, or nobody who is known. */
  readonly isOwner: boolean;
  readonly isSandboxed: boolean;
  /** Who wrote the message, or the conversation that it came in, as the host names them. Missing if the host names neither. */
  readonly peer?: string;
  /** Its session, if only the owner has spoken there, and never in a sandbox. It may be one of a group all the same. */
  readonly ownSession?: string;
  /** The turn is one in which the host recalls conversations for a message of `ownSession`. */
  readonly recall?: ConversationRecall;
}

const MAX_SESSIONS = 10_000;

/** The agent of a host that names none. */
export const DEFAULT_AGENT = 'main';

/** The calls of the gateway itself, which only its operator can make. */
export function operatorTurn(agent: string): Turn {
  return { agent, isOwner: true, isSandboxed: false };
}

/** The turn in which the host recalls memory for a message has the key of the message's session, and this behind it. */
const RECALL_SUFFIX = /:active-memory:[a-f0-9]{12}$/i;

/**
 * The session of the message for which the host recalls memory in this turn; `null` for any other. Everybody who may name a session can
 * give it such a key, but then the host says who has sent the message.
 */
export function sessionRecalledFor({
  sessionKey = '',
  agentId = DEFAULT_AGENT,
  senderIsOwner,
  requesterSenderId,
}: ToolContext): string | null {
  const isOfHost = senderIsOwner === undefined && requesterSenderId === undefined;
  const anchor = sessionKey.replace(RECALL_SUFFIX, '');
  const isOfAgent = anchor.toLowerCase().startsWith(`agent:${agentId.toLowerCase()}:`);
  return isOfHost && isOfAgent && anchor !== sessionKey ? anchor : null;
}

export function turnOf(context: ToolContext): Turn {
  const { agentId, senderIsOwner, sandboxed } = context;
  const peer = peerOf(context);
  return {
    agent: agentId ?? DEFAULT_AGENT,
    // Turns that no message started, such as those of a schedule, have no sender.
    isOwner: senderIsOwner !== false,
    isSandboxed: sandboxed === true,
    ...(peer !== undefined && { peer }),
  };
}

/** Names are unique within a channel and an account there. */
function peerOf(context: ToolContext): string | undefined {
  const { messageChannel = '', agentAccountId = '', requesterSenderId, nativeChannelId } = context;
  const place = [messageChannel, agentAccountId];
  if (requesterSenderId !== undefined) return JSON.stringify([...place, 'sender', requesterSenderId]);
  if (nativeChannelId !== undefined) return JSON.stringify([...place, 'conversation', nativeChannelId]);
  return undefined;
}

interface SessionTurn extends Pick<ToolContext, 'messageChannel' | 'requesterSenderId'> {
  readonly turn: Turn;
  readonly model: string | undefined;
  /** Whether the owner has spoken in the session. */
  readonly hasOwner: boolean;
  /** What all who have spoken in the session may do; `undefined` if nobody is known who has. */
  readonly common: Turn | undefined;
}

/**
 * The last turn that the host has prepared in each session: its hooks do not say whether the owner speaks, nor in which sandbox. The
 * host runs the turns of a session one after the other, and asks for the tools of a turn before it calls the hooks.
 */
export class RecentTurns {
  readonly #sessions = new LRUCache<string, SessionTurn>({ max: MAX_SESSIONS });

  note(context: ToolContext, turn: Turn = turnOf(context)): void {
    const { sessionKey, sessionId, activeModel, messageChannel, requesterSenderId } = context;
    // A tool that is called over HTTP outside of any turn has no such id.
    if (sessionKey === undefined || sessionId === undefined) return;
    const before = this.#sessions.get(sessionKey);
    this.#sessions.set(sessionKey, {
      turn,
      ...(messageChannel !== undefined && { messageChannel }),
      ...(requesterSenderId !== undefined && { requesterSenderId }),
      model: activeModel?.modelId ?? before?.model,
      hasOwner: turn.isOwner || before?.hasOwner === true,
      common: commonOf(before?.common, turn),
    });
  }

  /** The turn of a hook. `undefined` if none is known whose sender is the one that the hook names. */
  of({ sessionKey = '', channel, senderId }: TurnContext): Turn | undefined {
    const last = this.#sessions.get(sessionKey);
    const isSame =
      last?.requesterSenderId === senderId && (senderId === undefined || last?.messageChannel === channel);
    return isSame && last !== undefined ? { ...last.turn, ...this.#ownSession(sessionKey) } : undefined;
  }

  /** The turn of a call of a tool, which knows more than the hooks do. */
  ofCall(context: ToolContext, turn: Turn): Turn {
    const { sessionKey = '', conversationRecall: recall } = context;
    if (recall === undefined) return { ...turn, ...this.#ownSession(sessionKey) };
    const { anchorSessionKey: anchor, scope } = recall;
    const isTrusted =
      scope === 'same-agent-private' && (sessionKey === anchor || sessionRecalledFor(context) === anchor);
    // The host names no sender in these turns: the message that they serve is that of the last turn of its session.
    const message = this.#sessions.get(anchor)?.turn;
    const isOfOwner = isTrusted && message?.isOwner === true && !message.isSandboxed;
    const own = isOfOwner ? this.#ownSession(anchor) : {};
    return { ...turn, isOwner: turn.isOwner && own.ownSession !== undefined, recall, ...own };
  }

  #ownSession(sessionKey: string): Pick<Turn, 'ownSession'> {
    const common = this.starter(sessionKey);
    return common?.isOwner === true && !common.isSandboxed ? { ownSession: sessionKey } : {};
  }

  /** Whether the owner has spoken in a session; `undefined` if it is not known. */
  hasOwner(sessionKey: string): boolean | undefined {
    return this.#sessions.get(sessionKey)?.hasOwner;
  }

  /**
   * For whom a session may start another one: it is not known which of its turns has done so, and the other may begin much later. For
   * nobody after a turn of which it is not known who has sent its message, until somebody speaks who is known.
   */
  starter(sessionKey: string): Turn | undefined {
    const { turn, common } = this.#sessions.get(sessionKey) ?? {};
    return turn === undefined || isOfNobody(turn) ? undefined : common;
  }

  /** The last turn of a session, whoever has spoken. */
  last(sessionKey: string): Turn | undefined {
    return this.#sessions.get(sessionKey)?.turn;
  }

  modelOf(sessionKey: string | undefined): string | undefined {
    return sessionKey === undefined ? undefined : this.#sessions.get(sessionKey)?.model;
  }
}

/** Whether it is not known who has sent the message of a turn. */
function isOfNobody({ isOwner, peer }: Turn): boolean {
  return !isOwner && peer === undefined;
}

function commonOf(before: Turn | undefined, now: Turn): Turn | undefined {
  // The host itself has started the turn, or nobody knows who has.
  if (isOfNobody(now)) return before;
  if (before === undefined) return now;
  const { peer, ...turn } = now;
  return {
    ...turn,
    isOwner: now.isOwner && before.isOwner,
    isSandboxed: now.isSandboxed || before.isSandboxed,
    ...(peer !== undefined && peer === before.peer && { peer }),
  };
}

/** A turn of a subagent, which has no sender: it is one of whoever has spoken in the session that started it. */
export function startedBy(starter: Turn | undefined, turn: Turn): Turn {
  const { peer: _, ...own } = turn;
  const { isOwner = false, isSandboxed = false, peer } = starter ?? {};
  return {
    ...own,
    isOwner,
    isSandboxed: own.isSandboxed || isSandboxed,
    ...(peer !== undefined && { peer }),
  };
}

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

// The plugin needs these defaults of its settings before the engine is loaded, which parses the settings.

export const DEFAULT_NON_OWNER = { read: 'none', write: false, perSender: false, shared: [] } as const;
export const DEFAULT_SANDBOXED = { read: 'agent', write: false } as const;
