import type { HostConfig } from './api.ts';
import { areConversationsRemembered } from './agents.ts';

/** The modules in which the host reads the transcripts and the list of its sessions. The host resolves them. */
const TRANSCRIPTS = 'openclaw/plugin-sdk/memory-core-host-engine-sessions';
const SESSIONS = 'openclaw/plugin-sdk/session-transcript-hit';

/** A transcript of the host, as it lists it. */
export interface Transcript {
  readonly artifactKind: 'active-session' | 'retained-session' | 'archive-artifact';
  /** The file of an archive. A transcript in the database of the host has `storePath` instead. */
  readonly sessionFile: string;
  readonly sessionId: string;
  readonly sessionKey?: string;
  readonly transcriptSource?: string;
  readonly storePath?: string;
  /** Changes with the transcript. */
  readonly contentRevision?: string;
  readonly updatedAtMs?: number;
  readonly sessionKind?: string;
  readonly generatedByCronRun?: boolean;
  readonly generatedByDreamingNarrative?: boolean;
}

/** What was said, in lines that begin with `User: ` or `Assistant: `. The host has removed its own messages and masked secrets. */
export interface TranscriptText {
  readonly content: string;
  /** For each line, the line of the transcript that it comes from. */
  readonly lineMap: readonly number[];
  /** For each line, who is responsible for it. */
  readonly lineProvenance: readonly { readonly originClass: string; readonly observedAt: number }[];
  readonly generatedByCronRun?: boolean;
  readonly generatedByDreamingNarrative?: boolean;
}

/** Where the host keeps the first line of a transcript that is still in the context of its session. */
const RESET_CUTOFF: unique symbol = Symbol.for('openclaw.memory.sessionResetRecallCutoff') as never;

/** The first line of the transcript that the session still has in its context. */
export function firstLineInContext(text: TranscriptText & { readonly [RESET_CUTOFF]?: unknown }): number {
  const { cutoffLine } = (text[RESET_CUTOFF] ?? {}) as { readonly cutoffLine?: unknown };
  return typeof cutoffLine === 'number' ? cutoffLine : 0;
}

/** A session of the host. */
export interface SessionEntry {
  readonly sessionId?: string;
  readonly sessionFile?: string;
  readonly chatType?: string;
  readonly delivery?: { readonly kind: string; readonly origin?: { readonly chatType?: string } };
  readonly spawnedBy?: string;
  readonly pluginOwnerId?: string;
  readonly hookExternalContentSource?: string;
}

export type SessionEntries = Readonly<Record<string, SessionEntry | undefined>>;

/** The sessions of the host, for reading. */
export interface HostSessions {
  /** Whether the host remembers the private conversations of an agent. */
  areRemembered(agent: string): boolean;
  transcripts(agent: string): Promise<readonly Transcript[]>;
  /** `null` if the transcript is gone. */
  read(agent: string, transcript: Transcript): Promise<TranscriptText | null>;
  /** The sessions of an agent by their keys. */
  entries(agent: string): Promise<SessionEntries>;
}

interface TranscriptModule {
  readonly listSessionTranscriptCorpusEntriesForAgent: (
    agent: string,
    options: { readonly includeRetainedSqlite: true; readonly readOnly: true },
  ) => Promise<readonly Transcript[]>;
  readonly buildSessionEntry: (
    file: string,
    options: Readonly<Record<string, unknown>>,
  ) => Promise<TranscriptText | null>;
}

interface SessionModule {
  readonly loadCombinedSessionStoreForGateway: (
    config: HostConfig,
    options: { readonly agentId: string },
  ) => { readonly store: SessionEntries };
}

export function hostSessions(config: () => HostConfig): HostSessions {
  return {
    areRemembered: (agent) => areConversationsRemembered(config(), agent),
    async transcripts(agent) {
      const { listSessionTranscriptCorpusEntriesForAgent } = (await import(TRANSCRIPTS)) as TranscriptModule;
      return listSessionTranscriptCorpusEntriesForAgent(agent, {
        includeRetainedSqlite: true,
        readOnly: true,
      });
    },
    async read(agent, { sessionFile, storePath, transcriptSource, ...transcript }) {
      const { buildSessionEntry } = (await import(TRANSCRIPTS)) as TranscriptModule;
      const { sessionId, ...rest } = transcript;
      const isInDatabase = transcriptSource === 'sqlite' && storePath !== undefined;
      return buildSessionEntry(sessionFile, {
        ...rest,
        ...(isInDatabase && { agentId: agent, sessionId, storePath }),
      });
    },
    async entries(agent) {
      const { loadCombinedSessionStoreForGateway } = (await import(SESSIONS)) as SessionModule;
      return loadCombinedSessionStoreForGateway(config(), { agentId: agent }).store;
    },
  };
}

/** Sessions that no person has started. */
const GENERATED = /:(?:active-memory|cron|heartbeat|hook|node|subagent)(?::|$)/;

/**
 * Whether a session is a conversation of one person with the agent, by the rules of memory-core, and nothing else than that
 * person has started it.
 */
function isPrivate(agent: string, key: string, entry: SessionEntry): boolean {
  const prefix = `agent:${agent}:`;
  if (!key.startsWith(prefix) || key === `${prefix}global`) return false;
  if (key.includes(':group:') || key.includes(':channel:') || GENERATED.test(key)) return false;
  const { spawnedBy, pluginOwnerId, hookExternalContentSource, chatType, delivery } = entry;
  if ([spawnedBy, pluginOwnerId, hookExternalContentSource].some(Boolean)) return false;
  const chatTypes = [chatType, delivery?.kind === 'external' ? delivery.origin?.chatType : undefined].filter(
    (each) => each !== undefined,
  );
  if (chatTypes.length > 0) return chatTypes.every((each) => each === 'direct');
  return !key.startsWith(`${prefix}explicit:`) && (key.includes(':direct:') || key.includes(':dm:'));
}

/** The keys of the private sessions among those of an agent. All keys of a transcript must be private. */
export function privateSessions(agent: string, entries: SessionEntries): ReadonlySet<string> {
  const all = Object.entries(entries).flatMap(([key, entry]) =>
    entry === undefined ? [] : [{ key, entry, isPrivate: isPrivate(agent, key.toLowerCase(), entry) }],
  );
  const shared = all.filter((each) => !each.isPrivate);
  const others = new Set(
    shared.flatMap(({ entry }) => [entry.sessionId ?? [], entry.sessionFile ?? []].flat()),
  );
  const isShared = ({ sessionId = '', sessionFile = '' }: SessionEntry): boolean =>
    others.has(sessionId) || others.has(sessionFile);
  return new Set(all.filter((each) => each.isPrivate && !isShared(each.entry)).map(({ key }) => key));
}
