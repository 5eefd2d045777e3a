import { registerCommands } from './commands.ts';
import { registerCapture, registerRecall } from './recall.ts';
import { flushPlan, memorySection, startupPromptOf } from './prompt.ts';
import { memoryFor, releaseMemory } from './gateway-memory.ts';
import type { PluginApi, PluginEntry } from './host/api.ts';
import { hostSessions } from './host/sessions.ts';
import { memoryRuntime } from './memory-runtime.ts';
import { registerTools } from './tools.ts';

const ID = 'memory-loci';

/** The plugin that owns the memory slot of OpenClaw. */
const plugin: PluginEntry = {
  id: ID,
  name: 'Loci',
  description: 'Memory that is searched by words and by meaning',
  kind: 'memory',
  register(api: PluginApi) {
    const memory = memoryFor(ID, api);
    memory.sessions ??= hostSessions(() => memory.hostConfig);
    const startup = startupPromptOf(memory);
    api.registerMemoryCapability({
      deterministicRecallToolName: 'memory_search',
      supportsPrivateTranscriptRecall: true,
      promptBuilder: memorySection,
      flushPlanResolver: flushPlan,
      runtime: memoryRuntime(memory),
    });
    api.registerMemoryPromptPreparation((request) => startup.lines(request));
    registerTools(api, memory);
    if (isOn(api, 'autoRecall')) registerRecall(api, memory, startup);
    if (isOn(api, 'autoCapture')) registerCapture(api, memory);
    registerCommands(api, ID);
    api.registerService({
      id: ID,
      start: () => {
        memory.start();
      },
      stop: () => releaseMemory(memory),
    });
  },
};

/** Whether a part that is off by default is switched on. The engine validates all settings when it opens. */
function isOn({ pluginConfig }: PluginApi, part: 'autoRecall' | 'autoCapture'): boolean {
  const settings = pluginConfig?.[part] as { readonly enabled?: unknown } | undefined;
  return settings?.enabled === true;
}

export default plugin;
