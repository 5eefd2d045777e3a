// The parts of OpenClaw's plugin API (openclaw 2026.9.6) that the plugins use. OpenClaw is no dependency of Loci, because it is large
// and provides itself at run time; `npm run test:openclaw` compares these types with its own.

/** A part of `openclaw.json`. */
export interface HostConfig {
  readonly agents?: {
    readonly defaults?: AgentConfig & {
      readonly compaction?: { readonly memoryFlush?: MemoryFlushConfig };
    };
    readonly entries?: Readonly<Record<string, AgentConfig | undefined>>;
    readonly list?: readonly (AgentConfig & { readonly id: string })[];
  };
  readonly memory?: { readonly search?: MemorySearchConfig };
  readonly session?: { readonly dmScope?: string };
  readonly bindings?: readonly {
    readonly agentId: string;
    readonly session?: { readonly dmScope?: string };
  }[];
}

interface AgentConfig {
  readonly model?: string | { readonly primary?: string };
  readonly memory?: { readonly search?: MemorySearchConfig };
}

interface MemorySearchConfig {
  readonly rememberAcrossConversations?: boolean;
  readonly extraPaths?: readonly (string | { readonly path: string; readonly pattern?: string })[];
}

interface MemoryFlushConfig {
  readonly enabled?: boolean;
  readonly softThresholdTokens?: number;
  readonly forceFlushTranscriptBytes?: number | string;
  readonly model?: string;
}

/** What the host passes to a factory of tools, at each turn of an agent. */
export interface ToolContext {
  readonly agentId?: string;
  readonly sessionKey?: string;
  readonly sessionId?: string;
  readonly sandboxed?: boolean;
  /** The channel of the message, such as `telegram`, and the account of the gateway there. */
  readonly messageChannel?: string;
  readonly agentAccountId?: string;
  /** Who wrote the message, and the conversation that it came in, as the channel names them. */
  readonly requesterSenderId?: string;
  readonly nativeChannelId?: string;
  /** Whether the owner of the gateway wrote the message of this turn. */
  readonly senderIsOwner?: boolean;
  readonly activeModel?: { readonly modelId?: string };
  /** Set in the turns in which the host itself recalls conversations for a message. */
  readonly conversationRecall?: ConversationRecall;
}

/** What the host allows its own recall to search. */
export interface ConversationRecall {
  /** The session of the message. */
  readonly anchorSessionKey: string;
  readonly scope: string;
  /** `sessions`: conversations alone; `configured`: memory too. */
  readonly corpus: string;
}

export interface ToolResult {
  readonly content: { type: 'text'; text: string }[];
  readonly details: unknown;
}

export interface Tool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: object;
  /** Keeps the tool visible when Tool Search hides the others. */
  readonly catalogMode?: 'direct-only';
  readonly execute: (callId: string, input: unknown, signal?: AbortSignal) => Promise<ToolResult>;
}

export type OriginClass = 'owner' | 'agent' | 'untrusted' | 'system';

/** A hit of the host's memory search. Lines count from 1. */
export interface MemoryHit {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly score: number;
  readonly snippet: string;
  readonly source: 'memory' | 'sessions';
  readonly citation: string;
  readonly provenance: {
    readonly originClass: OriginClass;
    readonly sessionKind: 'interactive' | 'unknown';
    readonly observedAt: number;
  };
}

export type MemoryRead =
  | {
      readonly status: 'ok';
      readonly text: string;
      readonly path: string;
      readonly from: number;
      readonly lines: number;
      readonly truncated?: boolean;
      readonly nextFrom?: number;
    }
  | { readonly status: 'not_found'; readonly text: ''; readonly path: string };

export interface MemoryStatus {
  readonly backend: 'builtin';
  readonly provider: string;
  readonly files?: number;
  readonly chunks?: number;
  readonly workspaceDir?: string;
  readonly dbPath?: string;
  readonly fts?: { readonly enabled: boolean; readonly available: boolean };
  readonly vector?: { readonly enabled: boolean; readonly available: boolean };
  /** The name of the engine, which is not one of the host's backends, is in here. */
  readonly custom?: Readonly<Record<string, unknown>>;
}

export interface MemoryManager {
  search(
    query: string,
    options?: { readonly maxResults?: number; readonly minScore?: number; readonly signal?: AbortSignal },
  ): Promise<MemoryHit[]>;
  readFile(request: {
    readonly relPath: string;
    readonly from?: number;
    readonly lines?: number;
  }): Promise<MemoryRead>;
  status(): MemoryStatus;
  sync(): Promise<void>;
  probeEmbeddingAvailability(): Promise<{ readonly ok: boolean; readonly error?: string }>;
  probeVectorAvailability(): Promise<boolean>;
}

export interface FlushPlan {
  readonly softThresholdTokens: number;
  readonly forceFlushTranscriptBytes: number;
  readonly reserveTokensFloor: number;
  readonly model?: string;
  readonly prompt: string;
  readonly systemPrompt: string;
  /** The only file of the workspace that the turn may append to. */
  readonly relativePath: string;
}

export interface PromptRequest {
  readonly availableTools: Set<string>;
  readonly citationsMode?: string;
  readonly agentId?: string;
  readonly agentSessionKey?: string;
}

export interface MemoryCapability {
  readonly deterministicRecallToolName: string;
  /** The tools answer calls with `conversationRecall`. */
  readonly supportsPrivateTranscriptRecall: true;
  readonly promptBuilder: (request: PromptRequest) => string[];
  readonly flushPlanResolver: (request: {
    readonly cfg?: HostConfig;
    readonly nowMs?: number;
    readonly contextWindowTokens?: number;
  }) => FlushPlan | null;
  readonly runtime: {
    readonly supportsWorkspaceMemoryReadSources: true;
    getMemorySearchManager(request: {
      readonly cfg: HostConfig;
      readonly agentId: string;
    }): Promise<{ readonly manager: MemoryManager | null; readonly error?: string }>;
    resolveMemoryBackendConfig(): { readonly backend: 'builtin' };
    classifyWorkspaceMemoryPaths(
      request: WorkspacePaths,
    ): Promise<{ readonly relativePath: string; readonly originClass: OriginClass }[]>;
    closeAllMemorySearchManagers(): Promise<void>;
  };
}

export interface WorkspacePaths {
  readonly workspaceDir: string;
  readonly relativePaths: readonly string[];
  /** Files of a remote workspace. One without a canonical path is not trusted. */
  readonly readSources?: readonly {
    readonly relativePath: string;
    readonly canonicalRelativePath?: string;
  }[];
}

/** For whom the host searches further documents. */
export interface CorpusCaller {
  readonly agentId?: string;
  readonly sandboxed?: boolean;
}

/** Further documents for the memory of another plugin. */
export interface CorpusSupplement {
  search(request: CorpusCaller & { readonly query: string; readonly maxResults?: number }): Promise<
    {
      readonly corpus: string;
      readonly path: string;
      readonly title: string;
      readonly kind: string;
      readonly score: number;
      readonly snippet: string;
      readonly id: string;
    }[]
  >;
  get(
    request: CorpusCaller & {
      readonly lookup: string;
      readonly fromLine?: number;
      readonly lineCount?: number;
    },
  ): Promise<{
    readonly corpus: string;
    readonly path: string;
    readonly title: string;
    readonly content: string;
    readonly fromLine: number;
    readonly lineCount: number;
  } | null>;
}

export interface PromptEvent {
  readonly prompt: string;
  /** The message of the user alone; missing where the host does not know it. */
  readonly currentUserMessage?: string;
}

/** What the host is about to put into the system prompt of a turn. */
export interface BootstrapEvent {
  readonly sessionKey: string;
  readonly context: {
    readonly bootstrapFiles?: readonly { readonly name: string; readonly content?: string }[];
  };
}

/** What the host passes to the handlers of its hooks. */
export interface TurnContext {
  readonly runId?: string;
  readonly agentId?: string;
  readonly sessionKey?: string;
  readonly sessionId?: string;
  /** `user`, or what else started the turn: `heartbeat`, `cron` and others. */
  readonly trigger?: string;
  readonly inputProvenance?: { readonly kind: string };
  /** The channel of the message, and who wrote it there. */
  readonly channel?: string;
  readonly senderId?: string;
  readonly toolAuthority?: { allows(tool: string): boolean; assertActive(): void };
}

/** A command of `commander`, which the host provides. */
export interface HostCommand {
  command(name: string): HostCommand;
  description(text: string): HostCommand;
  argument(name: string, description: string): HostCommand;
  allowUnknownOption(): HostCommand;
  helpOption(flags: false): HostCommand;
  action(run: (words: string[]) => Promise<void>): HostCommand;
}

export interface PluginApi {
  /** The folder of the plugin. */
  readonly rootDir?: string;
  readonly config: HostConfig;
  readonly pluginConfig?: Readonly<Record<string, unknown>>;
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly runtime: {
    readonly config: { current(): HostConfig };
    readonly agent: {
      resolveAgentWorkspaceDir(config: HostConfig, agentId: string): string;
      readonly session: {
        getSessionEntry(session: {
          readonly agentId?: string;
          readonly sessionKey: string;
        }): { readonly spawnedBy?: string } | undefined;
      };
    };
  };
  registerTool(factory: (context: ToolContext) => Tool | null, options: { readonly names: string[] }): void;
  registerMemoryCapability(capability: MemoryCapability): void;
  registerMemoryPromptPreparation(prepare: (request: PromptRequest) => Promise<readonly string[]>): void;
  registerMemoryCorpusSupplement(supplement: CorpusSupplement): void;
  registerService(service: {
    readonly id: string;
    start(): void | Promise<void>;
    stop(): void | Promise<void>;
  }): void;
  registerCli(
    register: (options: { readonly program: HostCommand }) => void | Promise<void>,
    options: {
      readonly descriptors: readonly {
        readonly name: string;
        readonly description: string;
        readonly hasSubcommands: boolean;
      }[];
    },
  ): void;
  registerHook(
    event: 'agent:bootstrap',
    handler: (event: BootstrapEvent) => void,
    options: { readonly name: string },
  ): void;
  on(
    hook: 'before_prompt_build',
    handler: (
      event: PromptEvent,
      turn: TurnContext,
    ) => Promise<{ readonly appendContext: string } | undefined>,
    options: { readonly requiresToolAuthority: true },
  ): void;
  on(
    hook: 'agent_end',
    handler: (event: { readonly success: boolean }, turn: TurnContext) => Promise<void>,
  ): void;
}

/** The default export of a plugin's entry point. */
export interface PluginEntry {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind?: 'memory';
  register(api: PluginApi): void;
}
