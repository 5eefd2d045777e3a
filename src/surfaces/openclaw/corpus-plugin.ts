import { corpusSupplement } from './corpus.ts';
import { memoryFor, releaseMemory } from './gateway-memory.ts';
import type { PluginEntry } from './host/api.ts';

const ID = 'loci-corpus';

/** The plugin for people who keep memory-core: it adds the facts and runs of Loci to what memory-core searches with `corpus=all`. */
const plugin: PluginEntry = {
  id: ID,
  name: 'Loci corpus',
  description: 'The facts and runs of Loci beside another memory',
  register(api) {
    const memory = memoryFor(ID, api);
    // The host accepts a supplement only while it registers the plugin.
    api.registerMemoryCorpusSupplement(corpusSupplement(memory));
    api.registerService({ id: ID, start: () => undefined, stop: () => releaseMemory(memory) });
  },
};

export default plugin;
