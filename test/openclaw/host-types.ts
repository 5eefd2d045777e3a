// The compiler reads this file in types.test.ts, with the declarations of the installed OpenClaw. It is never run.
import type {
  definePluginEntry,
  OpenClawPluginApi,
  OpenClawPluginToolContext,
} from 'openclaw/plugin-sdk/plugin-entry';
import plugin from '../../src/surfaces/openclaw/memory-plugin.ts';
import type {
  CorpusSupplement,
  MemoryCapability,
  PluginApi,
  PromptRequest,
  Tool,
  ToolContext,
} from '../../src/surfaces/openclaw/host/api.ts';

/** What OpenClaw passes to a plugin must be what the plugin expects. */
declare const api: OpenClawPluginApi;
export const expected: Pick<PluginApi, 'config' | 'pluginConfig' | 'logger' | 'runtime'> = api;
declare const context: OpenClawPluginToolContext;
export const expectedContext: ToolContext = context;

/** What a plugin passes to OpenClaw must be what OpenClaw expects. */
declare const define: typeof definePluginEntry;
define(plugin);

// Parameters of methods are compared in both directions, so that each is checked by a call as well.
declare const capability: MemoryCapability;
api.registerMemoryCapability(capability);
declare const supplement: CorpusSupplement;
api.registerMemoryCorpusSupplement(supplement);
declare const prepare: (request: PromptRequest) => Promise<readonly string[]>;
api.registerMemoryPromptPreparation(prepare);
declare const factory: (context: ToolContext) => Tool | null;
api.registerTool(factory, { names: ['memory_search'] });
