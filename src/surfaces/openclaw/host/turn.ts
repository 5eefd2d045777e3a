import type { ToolContext } from './api.ts';

/** Who a call is for. */
export interface Turn {
  readonly agent: string;
  /** Whether the message comes from somebody else than the owner of the gateway, or from nobody who is known. */
  readonly isOwner: boolean;
  readonly isSandboxed: boolean;
}

/** The agent of a host that names none. */
export const DEFAULT_AGENT = 'main';

/** The calls of the gateway itself, which only its operator can make. */
export function operatorTurn(agent: string): Turn {
  return { agent, isOwner: true, isSandboxed: false };
}

export function turnOf({ agentId, senderIsOwner, sandboxed }: ToolContext): Turn {
  return {
    agent: agentId ?? DEFAULT_AGENT,
    // Turns that no message started, such as those of a schedule, have no sender.
    isOwner: senderIsOwner !== false,
    isSandboxed: sandboxed === true,
  };
}

/**
 * The turns that the host prepared, by session: its hooks know neither the sender nor the sandbox. Several turns of a session may
 * be prepared at once, and a hook does not learn which one is its own. So for the hooks, a session in which somebody else than
 * the owner has spoken stays a session of somebody else, and one that has been in a sandbox stays in it.
 */
export class RecentTurns {
  readonly #turns = new Map<string, { readonly turn: Turn; readonly model: string | undefined }>();

  note(context: ToolContext): void {
    const { sessionKey, activeModel } = context;
    if (sessionKey === undefined) return;
    const before = this.#turns.get(sessionKey);
    const now = turnOf(context);
    const turn = {
      ...now,
      isOwner: now.isOwner && before?.turn.isOwner !== false,
      isSandboxed: now.isSandboxed || before?.turn.isSandboxed === true,
    };
    this.#turns.delete(sessionKey);
    this.#turns.set(sessionKey, { turn, model: activeModel?.modelId ?? before?.model });
    if (this.#turns.size <= MAX_SESSIONS) return;
    const [oldest] = this.#turns.keys();
    if (oldest !== undefined) this.#turns.delete(oldest);
  }

  of(sessionKey: string | undefined): Turn | undefined {
    return sessionKey === undefined ? undefined : this.#turns.get(sessionKey)?.turn;
  }

  modelOf(sessionKey: string | undefined): string | undefined {
    return sessionKey === undefined ? undefined : this.#turns.get(sessionKey)?.model;
  }
}

/** Enough that a session of somebody else is not forgotten while it is used. */
const MAX_SESSIONS = 10_000;
