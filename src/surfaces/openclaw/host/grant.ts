import { createHmac } from 'node:crypto';
import { LociError } from '../../../core/errors.ts';
import { namespaceOf } from './agents.ts';
import { DEFAULT_NON_OWNER, DEFAULT_SANDBOXED, type Turn } from './turn.ts';
import type { PluginSettings } from '../engine/settings.ts';

/** The namespaces of a turn. */
export interface Grant {
  /** The namespace that it writes to, and whose citations have no prefix; `null` for a turn that may not read. */
  readonly own: string | null;
  /** Further namespaces that it may read. */
  readonly shared: readonly string[];
  readonly mayWrite: boolean;
}

type AccessSettings = Pick<PluginSettings, 'agents' | 'nonOwner' | 'sandboxed' | 'shared'>;

/** The settings of access in a configuration that is not parsed yet: the host asks for tools before the engine is open. */
export function accessOf(config: Readonly<Record<string, unknown>>): AccessSettings {
  const { nonOwner, sandboxed, shared } = config as Partial<AccessSettings>;
  return {
    agents: {},
    ...(shared !== undefined && { shared }),
    nonOwner: { ...DEFAULT_NON_OWNER, shared: [], ...nonOwner },
    sandboxed: { ...DEFAULT_SANDBOXED, ...sandboxed },
  };
}

/** What the namespaces of a turn depend on besides its settings. */
interface GrantContext {
  /** The namespace of the owner. */
  readonly configured: string;
  /** Makes the names of senders unreadable. */
  readonly peerKey: string;
}

/** The namespaces of a turn. With several restrictions, the strictest decides. */
export function grantOf(settings: AccessSettings, context: GrantContext, turn: Turn): Grant {
  const { nonOwner, sandboxed } = settings;
  const { isOwner, isSandboxed } = turn;
  const limits = [...(isOwner ? [] : [nonOwner]), ...(isSandboxed ? [sandboxed] : [])];
  const readable = isOwner ? ofOwner(settings, context, turn) : ofOther(settings, context, turn);
  const { own } = readable;
  const isWithoutShared = isSandboxed && sandboxed.read !== 'all';
  const [first = null, ...others] = [
    ...(own === null ? [] : [own]),
    ...(isWithoutShared ? [] : readable.shared.filter((each) => each !== own)),
  ];
  if (first === null || (isSandboxed && sandboxed.read === 'none'))
    return { own: null, shared: [], mayWrite: false };
  return { own: first, shared: others, mayWrite: first === own && limits.every(({ write }) => write) };
}

type Readable = Pick<Grant, 'own' | 'shared'>;

function ofOwner(
  { agents, shared }: AccessSettings,
  { configured }: GrantContext,
  { agent }: Turn,
): Readable {
  return { own: namespaceOf(agent, agents), shared: shared ?? [configured] };
}

/** The memory of a turn whose message comes from somebody else than the owner. */
function ofOther(settings: AccessSettings, context: GrantContext, turn: Turn): Readable {
  const { read, perSender, shared } = settings.nonOwner;
  if (perSender) return { own: peerNamespace(turn, context.peerKey), shared };
  const { own, shared: ofAgents } = ofOwner(settings, context, turn);
  return {
    own: read === 'none' ? null : own,
    shared: read === 'all' ? [...new Set([...ofAgents, ...shared])] : shared,
  };
}

const PEER_DIGITS = 32;

/** The namespace of whoever wrote a message, which does not name them; `null` if the host does not say who that is. */
function peerNamespace({ agent, peer }: Turn, key: string): string | null {
  if (peer === undefined) return null;
  const hash = createHmac('sha256', key).update(peer).digest('hex').slice(0, PEER_DIGITS);
  return `${namespaceOf(agent)}/peer:${hash}`;
}

/** @throws LociError `forbidden` */
export function requireReadable({ own }: Grant): string {
  if (own !== null) return own;
  throw new LociError('forbidden', 'this turn may not read memory', {
    hint: 'The owner of the gateway decides that with `nonOwner.read` and `sandboxed.read`.',
  });
}
