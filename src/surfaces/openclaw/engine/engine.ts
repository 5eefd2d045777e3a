import type { Config } from '../../../config/schema.ts';
import { expandHome } from '../../../config/paths.ts';
import { createContext, type OpenContext } from '../../../operations/context.ts';
import type { OperationContext } from '../../../operations/operation.ts';
import { AgentWorkspaces, type Workspace } from './agent-workspaces.ts';
import { conversationsOf, type Grant, grantOf } from './grant.ts';
import { type PluginSettings, parsePluginConfig } from './settings.ts';
import { namespaceOf } from '../host/agents.ts';
import type { Turn } from '../host/turn.ts';
import type { EngineContext } from '../../../engine/context.ts';
import type { StoreStatus } from '../../../engine/health/status.ts';
import type { StartupTextOutput } from '../../../engine/startup/startup-fields.ts';
import type { StartupRequest } from '../../../engine/startup/startup.ts';

/** The name of this surface in the audit log. */
const SURFACE = 'openclaw';

/** What the engine needs from the host. */
export interface EngineHost {
  /** The id of the plugin, which names its settings in messages. */
  readonly plugin: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** The workspaces of all agents that the host has now. */
  readonly workspaces: () => readonly Workspace[];
  readonly log: (message: string) => void;
}

/** The open engine in the process of a host, for all of its agents. */
export class GatewayEngine {
  readonly settings: PluginSettings;
  readonly config: Config;
  readonly workspaces: AgentWorkspaces;
  readonly #context: OpenContext;

  private constructor(context: OpenContext, settings: PluginSettings, config: Config, host: EngineHost) {
    this.#context = context;
    this.settings = settings;
    this.config = config;
    this.workspaces = new AgentWorkspaces({
      list: host.workspaces,
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
    const { settings, hostSettings } = parsePluginConfig(host.plugin, host.config);
    const context = createContext({
      caller: { surface: SURFACE, trust: 'operator' },
      hostSettings,
      ownsProcess: false,
      ...(settings.home !== undefined && { home: expandHome(settings.home) }),
    });
    try {
      const { values, warnings } = await context.loadConfig();
      for (const warning of warnings) host.log(warning);
      await context.loci({ create: true });
      return new GatewayEngine(context, settings, values, host);
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

  conversationsOf(agent: string): string {
    return conversationsOf(this.namespaceOf(agent));
  }

  /** What a turn may read and write. */
  grant(turn: Turn): Grant {
    return grantOf(this.settings, this.config.namespace, turn);
  }

  /** The context of an operation that an agent runs in a namespace. */
  contextOf(namespace: string, agent: string, signal?: AbortSignal): OperationContext {
    return this.#context.forCall({
      caller: { surface: SURFACE, trust: 'agent', namespace, actor: agent },
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
    if (this.settings.workspace.enabled) this.workspaces.start();
  }

  async close(): Promise<void> {
    try {
      await this.workspaces.close();
    } finally {
      await this.#context.close();
    }
  }
}
