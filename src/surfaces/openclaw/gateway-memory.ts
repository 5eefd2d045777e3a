import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Workspace } from './engine/agent-workspaces.ts';
import type { EngineModules } from './engine/modules.ts';
import { workspacesOf } from './host/agents.ts';
import type { BootstrapEvent, HostConfig, PluginApi, ToolContext } from './host/api.ts';
import { inHostWords, ProblemLog } from './host/messages.ts';
import { accessOf, grantOf } from './host/grant.ts';
import { loadEngine } from './host/load-engine.ts';
import type { HostSessions } from './host/sessions.ts';
import { isSubagent, RecentTurns, sessionRecalledFor, startedBy, type Turn, turnOf } from './host/turn.ts';
import { within } from '../../core/time/deadline.ts';

/** After a failure, the engine is opened again by the first call after this time. */
const RETRY_MS = 5000;
/** How long the first opening waits, so that the gateway is ready before. It starts services 0.2 s before that. */
const START_DELAY_MS = 1000;

/** Stands for the namespace of the owner until the engine knows its name. */
const OWNER = 'owner';

/** The memory of a gateway. It outlives a registration, since the host registers a plugin several times. */
export class GatewayMemory {
  readonly turns: RecentTurns = new RecentTurns();
  readonly promptFiles: PromptFiles = new PromptFiles();
  /** The sessions of the host, whose conversations it remembers. Set before it is opened. */
  sessions: HostSessions | null = null;
  readonly #plugin: string;
  readonly #config: Readonly<Record<string, unknown>>;
  readonly #access: ReturnType<typeof accessOf>;
  #api: PluginApi;
  #opened: Promise<EngineModules> | null = null;
  #failedAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  /** Set from the start of the service until it stops. */
  #keeping: AbortController | null = null;
  readonly #problems = new ProblemLog((message) => this.log(message));
  /** The settings of the open engine that tools need before they can wait. */
  writesEnabled: boolean;

  constructor(plugin: string, api: PluginApi) {
    this.#plugin = plugin;
    this.#config = api.pluginConfig ?? {};
    this.#access = accessOf(this.#config);
    this.#api = api;
    const writes = this.#config['writes'] as { readonly enabled?: unknown } | undefined;
    this.writesEnabled = writes?.enabled === true;
  }

  /** The API of the last registration: that of an earlier one may be retired. */
  set api(api: PluginApi) {
    this.#api = api;
  }

  get hostConfig(): HostConfig {
    return this.#api.runtime.config.current();
  }

  log(message: string): void {
    this.#api.logger.warn(inHostWords(message));
  }

  /** Notes the turn that the host prepares, and returns for whom it is. */
  turnOf(context: ToolContext): Turn {
    const own = turnOf(context);
    const recalledFor = sessionRecalledFor(context);
    const turn = isSubagent(context)
      ? startedBy(this.#starterOf(context), own)
      : recalledFor === null
        ? own
        : startedBy(this.turns.last(recalledFor), own);
    this.turns.note(context, turn);
    return turn;
  }

  #starterOf({ agentId, sessionKey = '' }: ToolContext): Turn | undefined {
    const session = { sessionKey, ...(agentId !== undefined && { agentId }) };
    const starter = this.#api.runtime.agent.session.getSessionEntry(session)?.spawnedBy;
    return starter === undefined ? undefined : this.turns.starter(starter);
  }

  /** Whether the settings let a turn read or write anything. The engine need not be open. */
  access(turn: Turn): { readonly mayRead: boolean; readonly mayWrite: boolean } {
    // The names of namespaces do not matter for this.
    const { own, mayWrite } = grantOf(this.#access, { configured: OWNER, peerKey: '' }, turn);
    return { mayRead: own !== null, mayWrite };
  }

  /** Loads and opens the engine at the first call, or waits until it is open. @throws LociError why it cannot be opened */
  open(): Promise<EngineModules> {
    if (this.#closed) return Promise.reject(new Error('the gateway has stopped the plugin'));
    if (this.#opened === null || (this.#failedAt > 0 && Date.now() - this.#failedAt > RETRY_MS)) {
      this.#failedAt = Number.NEGATIVE_INFINITY;
      this.#opened = this.#load().catch((error: unknown) => {
        this.#failedAt = Date.now();
        throw error;
      });
    }
    return this.#opened;
  }

  async #load(): Promise<EngineModules> {
    const { openGatewayEngine } = await loadEngine(this.#api.rootDir);
    const opened = await openGatewayEngine({
      plugin: this.#plugin,
      config: this.#config,
      workspaces: () => this.workspaces,
      ...(this.sessions !== null && { sessions: this.sessions }),
      log: (message) => {
        this.log(message);
      },
    });
    this.writesEnabled = opened.engine.config.writes.enabled;
    return opened;
  }

  /** Opens the engine in the background, unless a call does so before, and keeps everything fresh, until it is closed. */
  start(): void {
    // The host may stop the service of an earlier registration after it has registered the plugin again.
    this.#closed = false;
    if (this.#keeping !== null) return;
    this.#keeping = new AbortController();
    void this.#keepFresh(this.#keeping.signal);
  }

  async #keepFresh(signal: AbortSignal): Promise<void> {
    // A wait that is aborted ends without an error.
    const wait = (ms: number): Promise<void> =>
      delay(ms, undefined, { ref: false, signal }).catch(() => undefined);
    await wait(START_DELAY_MS);
    while (!signal.aborted) {
      try {
        const { engine } = await this.open();
        await engine.keepFresh((message) => {
          this.log(message);
        });
        return;
      } catch (error) {
        this.#problems.report('memory cannot be opened', error);
        await wait(2 * RETRY_MS);
      }
    }
  }

  /** The workspaces of all agents that the host has now. */
  get workspaces(): readonly Workspace[] {
    return workspacesOf(this.#api);
  }

  workspaceOf(agent: string): string {
    return this.#api.runtime.agent.resolveAgentWorkspaceDir(this.hostConfig, agent);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#keeping?.abort();
    this.#keeping = null;
    const opened = this.#opened;
    this.#opened = null;
    const modules = await opened?.catch(() => null);
    await modules?.engine.close();
  }
}

/** The memories of this process, by plugin and settings. Each copy of this module sees the same ones. */
const MEMORIES: unique symbol = Symbol.for('loci.openclaw.memories');
const shared: object & { [MEMORIES]?: Map<string, GatewayMemory> | undefined } = globalThis;

/** The memory for a registration: that of an earlier one with the same settings, or a new one. */
export function memoryFor(plugin: string, api: PluginApi): GatewayMemory {
  const memories = shared[MEMORIES] ?? new Map<string, GatewayMemory>();
  shared[MEMORIES] = memories;
  const key = JSON.stringify([plugin, api.pluginConfig ?? {}]);
  const memory = memories.get(key) ?? new GatewayMemory(plugin, api);
  memory.api = api;
  memories.set(key, memory);
  return memory;
}

/** Closes a memory when its service stops. A later registration opens a new one. */
export async function releaseMemory(memory: GatewayMemory): Promise<void> {
  const memories = shared[MEMORIES];
  for (const [key, each] of memories ?? []) if (each === memory) memories?.delete(key);
  await memory.close();
}

const MAX_SESSIONS = 1000;
/** The host cuts longer files, unless its settings say otherwise. In characters. */
const MAX_FILE_LENGTH = 20_000;
const MAX_FILE_LENGTHS: Readonly<Record<string, number>> = { 'USER.md': 4000 };

/** The files of the workspace that the host puts into the system prompt, such as `MEMORY.md`, as it last did in each session. */
export class PromptFiles {
  readonly #texts = new LRUCache<string, readonly string[]>({ max: MAX_SESSIONS });

  note({ sessionKey, context }: BootstrapEvent): void {
    const whole = (context.bootstrapFiles ?? []).flatMap(({ name, content = '' }) =>
      content.length > (MAX_FILE_LENGTHS[name] ?? MAX_FILE_LENGTH) ? [] : [content],
    );
    this.#texts.set(sessionKey, whole);
  }

  of(sessionKey = ''): readonly string[] {
    return this.#texts.get(sessionKey) ?? [];
  }
}

/** The result of work that a caller waits for until the deadline. The work may go on after it. @throws at the deadline */
export function answerWithin<Result>(work: Promise<Result>, deadlineMs: number): Promise<Result> {
  return within(work, deadlineMs, () => {
    throw new Error(`memory did not answer within ${String(deadlineMs)} ms`);
  });
}
