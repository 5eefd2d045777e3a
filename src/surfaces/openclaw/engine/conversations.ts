import { LociError } from '../../../core/errors.ts';
import { within } from '../../../core/time/deadline.ts';
import { DAY_MS, dayText } from '../../../core/time/whole-day.ts';
import type { EngineContext } from '../../../engine/context.ts';
import type { Fence } from '../../../store/model.ts';
import { normalized } from '../host/agents.ts';
import { type HostSessions, privateSessions } from '../host/sessions.ts';
import type { Turn } from '../host/turn.ts';
import type { PluginSettings } from './settings.ts';
import { CONVERSATIONS, isInContext, Transcripts } from './transcripts.ts';

interface ConversationsOptions {
  /** Those of the host; `null` outside of a gateway. */
  readonly sessions: HostSessions | null;
  readonly settings: PluginSettings['sessions'];
  /** The engine of a namespace. */
  readonly loci: (namespace: string) => Promise<EngineContext>;
}

/** A search does not wait longer for what was said since the last update. */
const UPDATE_DEADLINE_MS = 1000;

/** Results that a search leaves out: those of the conversation that it is for. */
interface LeftOut {
  /** How many records these are at most. */
  readonly count: number;
  readonly has: (key: string) => boolean;
}

/** The private conversations of the owner with each agent, which the host keeps, as records in a namespace of their own. */
export class Conversations {
  readonly #options: ConversationsOptions;
  readonly #transcripts = new Map<string, Transcripts>();
  /** Updates that run, by agent. */
  readonly #updates = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  /** Whether an update has stored what has no vectors yet. */
  #isToEmbed = false;

  constructor(options: ConversationsOptions) {
    this.#options = options;
  }

  /** Whether the conversations of an agent are remembered: as the settings say, else as the host does it. */
  areRemembered(agent: string): boolean {
    const { settings, sessions } = this.#options;
    return sessions !== null && (settings.enabled ?? sessions.areRemembered(agent));
  }

  /** The namespace of an agent's conversations, if the turn may read them: one of the owner, in a private session. */
  async readableBy(turn: Turn): Promise<string | null> {
    const { agent, isOwner, isSandboxed, ownSession } = turn;
    const { sessions } = this.#options;
    if (sessions === null || !isOwner || isSandboxed || ownSession === undefined) return null;
    if (!this.areRemembered(agent)) return null;
    const id = normalized(agent);
    // What was said a moment ago in another session is found too, unless there is much to read. The next regular refresh reports an error.
    await within(this.#update(agent, sessions), UPDATE_DEADLINE_MS, () => undefined).catch(() => undefined);
    const entries = await sessions.entries(id);
    // What the turn finds stays in its session, where others could ask for it.
    const isOwn = this.#transcripts.get(id)?.mayHaveOthers(entries[ownSession]?.sessionId ?? '') === false;
    return privateSessions(id, entries).has(ownSession) && isOwn ? conversationsOf(agent) : null;
  }

  /**
   * What a search leaves out: for a recall, all that the session of its message has in its context; else what was said there today, with
   * the question itself.
   */
  async leftOutOf({ agent, ownSession = '', recall }: Turn): Promise<LeftOut> {
    const { sessions } = this.#options;
    const id = normalized(agent);
    const { sessionId = '' } = (await sessions?.entries(id))?.[ownSession] ?? {};
    const today = `${sessionId}/${dayText(Date.now())}`;
    if (recall === undefined) return { count: 1, has: (key) => key.startsWith(today) };
    const count = this.#transcripts.get(id)?.countInContext(sessionId) ?? 0;
    return { count, has: (key) => isInContext(key, sessionId) };
  }

  /**
   * Brings the records of an agent's conversations up to date with the transcripts of the host. If they are not remembered any more,
   * the records are removed.
   * @throws LociError `conflict` if another process does it, `aborted`, and the errors of embedding
   */
  async refresh(agent: string): Promise<void> {
    const { sessions, loci } = this.#options;
    if (sessions === null) return;
    await this.#update(agent, sessions);
    if (!this.#isToEmbed) return;
    this.#isToEmbed = false;
    const { embedNew } = await import('../../../engine/reading/embed-new.ts');
    try {
      await embedNew(await loci(conversationsOf(agent)), { wait: false, signal: this.#stop.signal });
    } catch (error) {
      this.#isToEmbed = true;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#stop.abort(new LociError('aborted', 'the gateway is stopping'));
    await Promise.allSettled(this.#updates.values());
  }

  /** Joins an update of the agent that is running. */
  #update(agent: string, sessions: HostSessions): Promise<void> {
    const id = normalized(agent);
    const running = this.#updates.get(id);
    if (running !== undefined) return running;
    const update = this.#updateNow(id, sessions).finally(() => this.#updates.delete(id));
    this.#updates.set(id, update);
    return update;
  }

  async #updateNow(agent: string, sessions: HostSessions): Promise<void> {
    const context = await this.#options.loci(conversationsOf(agent));
    if (!this.areRemembered(agent)) {
      this.#transcripts.delete(agent);
      return forget(context, this.#stop.signal);
    }
    const [{ leaseName }, { withLease }] = await Promise.all([
      import('../../../engine/reading/refresh/refresh.ts'),
      import('../../../engine/shared/lease.ts'),
    ]);
    const transcripts = this.#transcriptsOf(context, agent, sessions);
    await withLease(
      context,
      leaseName(context, CONVERSATIONS),
      (lease, signal) => this.#read(context, transcripts, lease, signal),
      { signal: this.#stop.signal },
    );
  }

  #transcriptsOf({ thread }: EngineContext, agent: string, sessions: HostSessions): Transcripts {
    const known = this.#transcripts.get(agent);
    if (known !== undefined) return known;
    const made = new Transcripts({
      agent,
      sessions,
      mask: async (text) => (await import('../../../secrets/detect.ts')).maskDetected(thread, text),
    });
    this.#transcripts.set(agent, made);
    return made;
  }

  async #read(
    context: EngineContext,
    transcripts: Transcripts,
    fence: Fence,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, namespace, config, now } = context;
    const [{ syncSource }, { chunkingOf }] = await Promise.all([
      import('../../../ingest/sync.ts'),
      import('../../../engine/embedding/models.ts'),
    ]);
    const { settings } = this.#options;
    const { since } = settings;
    const first = await firstRead(context, fence);
    transcripts.since = since === undefined ? first : new Date(`${since}T00:00`).getTime();
    transcripts.firstDay = dayText(now() - settings.days * DAY_MS);
    const report = await syncSource(store, transcripts, {
      ...{ namespace, project: config.project, chunking: await chunkingOf(context), now, fence, signal },
      // The host may have removed all transcripts.
      allowEmpty: true,
    });
    if (report.added + report.updated > 0) this.#isToEmbed = true;
  }
}

/** The namespace of the conversations of an agent. Agents that share their memory do not share these. */
export function conversationsOf(agent: string): string {
  return `agent:${normalized(agent)}:sessions`;
}

/** When conversations were read for the first time, which is now unless the state of the source says otherwise. */
async function firstRead({ store, namespace, now }: EngineContext, fence: Fence): Promise<number> {
  const { sourceStates, sourceStateChange } = await import('../../../store/items/kinds.ts');
  const { approvedAt = null } = (await sourceStates(store.records, namespace)).get(CONVERSATIONS) ?? {};
  if (approvedAt !== null) return approvedAt;
  const at = now();
  const items = [sourceStateChange(CONVERSATIONS, { approvedAt: at })];
  await store.records.commit(namespace, { items, fence });
  return at;
}

async function forget(context: EngineContext, signal: AbortSignal): Promise<void> {
  const { sourceStates } = await import('../../../store/items/kinds.ts');
  if (!(await sourceStates(context.store.records, context.namespace)).has(CONVERSATIONS)) return;
  const { forgetSource } = await import('../../../engine/reading/forget-source.ts');
  await forgetSource(context, CONVERSATIONS, { signal });
}
