import { randomBytes } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../config/schema.ts';
import { isSession } from '../../../core/caller.ts';
import { expandHome } from '../../../config/paths.ts';
import { createContext, type OpenContext } from '../../../operations/context.ts';
import type { OperationContext } from '../../../operations/operation.ts';
import { AgentWorkspaces, type Workspace } from './agent-workspaces.ts';
import { type Grant, grantOf, requireReadable } from '../host/grant.ts';
import { Conversations } from './conversations.ts';
import { parsePluginConfig, type PluginSettings } from './settings.ts';
import { namespaceOf } from '../host/agents.ts';
import type { HostSessions } from '../host/sessions.ts';
import type { Turn } from '../host/turn.ts';
import type { EngineContext } from '../../../engine/context.ts';
import type { StoreStatus } from '../../../engine/health/status.ts';
import type { StartupTextOutput } from '../../../engine/startup/startup-fields.ts';
import type { StartupRequest } from '../../../engine/startup/startup.ts';
import { systemErrorCode } from '../../../core/fs/file-errors.ts';

/** The name of this surface in the audit log. */
const SURFACE = 'openclaw';

/** What the engine needs from the host. */
export interface EngineHost {
  /** The id of the plugin, which names its settings in messages. */
  readonly plugin: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** The workspaces of all agents that the host has now. */
  readonly workspaces: () => readonly Workspace[];
  /** Without them, conversations are neither indexed nor found. */
  readonly sessions?: HostSessions;
  readonly log: (message: string) => void;
}

interface OpenedEngine {
  readonly context: OpenContext;
  readonly settings: PluginSettings;
  readonly config: Config;
  readonly peerKey: string;
}

/** The open engine in the process of a host, for all of its agents. */
export class GatewayEngine {
  readonly settings: PluginSettings;
  readonly config: Config;
  readonly workspaces: AgentWorkspaces;
  readonly conversations: Conversations;
  readonly #context: OpenContext;
  readonly #peerKey: string;

  private constructor({ context, settings, config, peerKey }: OpenedEngine, host: EngineHost) {
    this.#context = context;
    this.#peerKey = peerKey;
    this.settings = settings;
    this.config = config;
    this.conversations = new Conversations({
      sessions: host.sessions ?? null,
      settings: settings.sessions,
      loci: (namespace) => this.loci(namespace),
    });
    this.workspaces = new AgentWorkspaces({
      list: host.workspaces,
      hasFiles: settings.workspace.enabled,
      readConversations: (agent) => this.conversations.refresh(agent),
      loci: (agent) => this.loci(this.namespaceOf(agent)),
      intervalMs: settings.workspace.intervalSeconds * 1000,
      log: host.log,
    });
  }

  /**
   * Opens the store, and makes it if it is missing. Nothing else starts before `keepFresh`.
   * @throws LociError `invalid_config`, and the errors of opening a store
   */
  static async open(host: EngineHost): Promise<GatewayEngine> {
    const { settings, hostSettings } = parsePluginConfig(host.plugin, host.config, host.workspaces());
    const context = createContext({
      caller: { surface: SURFACE, trust: 'operator' },
      hostSettings,
      ownsProcess: false,
      onWarning: host.log,
      ...(settings.home !== undefined && { home: expandHome(settings.home) }),
    });
    try {
      const { values, warnings } = await context.loadConfig();
      for (const warning of warnings) host.log(warning);
      await context.loci({ create: true });
      const peerKey = settings.nonOwner.perSender ? await loadPeerKey(context.home) : '';
      return new GatewayEngine({ context, settings, config: values, peerKey }, host);
    } catch (error) {
      await context.close();
      throw error;
    }
  }

  get home(): string {
    return this.#context.home;
  }

  namespaceOf(agent: string): string {
    return namespaceOf(agent, this.settings.agents);
  }

  /** What a turn may read and write. */
  grant(turn: Turn): Grant {
    return grantOf(this.settings, { configured: this.config.namespace, peerKey: this.#peerKey }, turn);
  }

  /** Whether a turn may read the startup entries: those of the owner, who wrote them for the agent. */
  readsStartup(turn: Turn): boolean {
    const { own, shared } = this.grant(turn);
    return [own, ...shared].some(
      (each) => each === this.namespaceOf(turn.agent) || each === this.config.namespace,
    );
  }

  /** The namespaces that are searched for a turn unless it names others: those of its grant, and conversations, if set so. */
  async searched(turn: Turn): Promise<readonly string[]> {
    const grant = this.grant(turn);
    const own = requireReadable(grant);
    const hasConversations = this.settings.sessions.enabled === true && turn.recall === undefined;
    const conversations = hasConversations ? await this.conversations.readableBy(turn) : null;
    return [own, ...grant.shared, ...(conversations === null ? [] : [conversations])];
  }

  /** The context of an operation that an agent runs in a namespace. */
  contextOf(namespace: string, agent: string, signal?: AbortSignal, session = ''): OperationContext {
    return this.#context.forCall({
      caller: {
        surface: SURFACE,
        trust: 'agent',
        namespace,
        actor: agent,
        ...(isSession(session) && { session }),
      },
      ...(signal !== undefined && { signal }),
    });
  }

  /** The engine of a namespace on behalf of the owner. */
  async loci(namespace: string = this.config.namespace): Promise<EngineContext> {
    const loci = await this.#context.loci({ create: true });
    return loci.as({ ...loci.caller, namespace });
  }

  /** The state of a namespace. */
  async status(namespace: string): Promise<StoreStatus> {
    const { storeStatus } = await import('../../../engine/health/status.ts');
    return storeStatus(await this.loci(namespace));
  }

  async startup(request: StartupRequest): Promise<StartupTextOutput> {
    const { injectStartup } = await import('../../../engine/startup/startup.ts');
    return injectStartup(await this.loci(), request);
  }

  /** Refreshes vaults, sources and workspaces until the engine is closed. */
  async keepFresh(log: (message: string) => void): Promise<void> {
    const loci = await this.loci();
    const { keepFresh } = await import('../../../engine/reading/sources.ts');
    keepFresh(loci, {
      newVaults: true,
      onEvent: (event) => {
        if (event.kind === 'failed' || event.kind === 'waiting') log(event.error.message);
      },
    });
    this.workspaces.start();
  }

  async close(): Promise<void> {
    try {
      await Promise.all([this.workspaces.close(), this.conversations.close()]);
    } finally {
      await this.#context.close();
    }
  }
}

const FILE = 'openclaw-peers.key';
const KEY_BYTES = 32;

/**
 * The key that hides the names of senders in the names of their namespaces. It is made once for a home: the numbers of a telephone
 * could be found by trying all of them, if no secret were in their hashes.
 */
async function loadPeerKey(home: string): Promise<string> {
  const file = join(home, FILE);
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
  await writeFile(temporary, randomBytes(KEY_BYTES).toString('hex'), { mode: 0o600, flag: 'wx' });
  try {
    // Another gateway may make one at the same time: the first is used by both.
    await link(temporary, file).catch((error: unknown) => {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    });
  } finally {
    await unlink(temporary);
  }
  return readFile(file, 'utf8');
}
