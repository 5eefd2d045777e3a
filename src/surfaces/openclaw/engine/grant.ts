import { LociError } from '../../../core/errors.ts';
import { namespaceOf } from '../host/agents.ts';
import type { Turn } from '../host/turn.ts';
import type { PluginSettings } from './settings.ts';

/** The namespaces of a turn. */
export interface Grant {
  /** The agent's own namespace; `null` for a turn that may not read. */
  readonly own: string | null;
  /** Further namespaces that it may read. */
  readonly shared: readonly string[];
  readonly mayWrite: boolean;
}

/** The namespaces of a turn. With several restrictions, the strictest decides. @param configured the namespace of the owner */
export function grantOf(
  settings: PluginSettings,
  configured: string,
  { agent, isOwner, isSandboxed }: Turn,
): Grant {
  const { agents, nonOwner, sandboxed, sessions, shared = [configured] } = settings;
  const limits = [...(isOwner ? [] : [nonOwner]), ...(isSandboxed ? [sandboxed] : [])];
  const own = namespaceOf(agent, agents);
  // Conversations may be private: only the owner's own turns find them.
  const conversations = sessions.enabled && limits.length === 0 ? [conversationsOf(own)] : [];
  const mayRead = limits.every(({ read }) => read !== 'none');
  const readsShared = limits.every(({ read }) => read === 'all');
  return {
    own: mayRead ? own : null,
    shared: [...(mayRead && readsShared ? shared.filter((each) => each !== own) : []), ...conversations],
    mayWrite: mayRead && limits.every(({ write }) => write),
  };
}

/** The namespace of the conversations of an agent. */
export function conversationsOf(namespace: string): string {
  return `${namespace}:sessions`;
}

/** @throws LociError `forbidden` */
export function requireReadable({ own }: Grant): string {
  if (own !== null) return own;
  throw new LociError('forbidden', 'this turn may not read memory', {
    hint: 'The owner of the gateway decides that with `nonOwner.read` and `sandboxed.read`.',
  });
}
