import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createContext, type OpenContext } from '../../src/operations/context.ts';
import { statusOperation } from '../../src/operations/health/status.ts';
import { freePort } from '../../test/openclaw/free-port.ts';
import type { Gateway } from '../../test/openclaw/gateway.ts';
import { copyPlugin } from '../../src/surfaces/openclaw/setup/package.ts';
import { baseConfig, OpenclawHome } from '../../test/openclaw/openclaw.ts';
import { type Notes, writeNotes } from './notes.ts';
import { cpuTimeMs } from './process-figures.ts';

/** What a gateway has as its memory. */
export type Memory = 'none' | 'core text' | 'core hybrid' | 'loci text' | 'loci hybrid';

export interface Surroundings {
  /** The addresses of the surroundings. */
  readonly model: string;
  readonly embeddings: string;
  /** The folder of the plugin, as `unpackPlugin` makes it. */
  readonly plugin: string;
}

export interface Start {
  readonly readyMs: number;
  /** The CPU time of all threads until it was ready. */
  readonly cpuMs: number;
}

/** The namespace of the agent `main`. */
const NAMESPACE = 'agent:main';
const POLL_MS = 100;
const MAX_INDEXING_MS = 240_000;

class VariantHome extends OpenclawHome {
  readonly #provider: string;

  constructor(provider: string) {
    super();
    this.#provider = provider;
  }

  override get env(): NodeJS.ProcessEnv {
    return { ...super.env, LOCI_EMBEDDING_PROVIDER: this.#provider };
  }
}

/** Copies the plugin as setup does. Returns its folder. */
export async function unpackPlugin(folder: string): Promise<string> {
  const plugin = join(folder, 'plugin');
  await copyPlugin(plugin);
  return plugin;
}

/** A gateway with one kind of memory over the notes. */
export class Variant {
  readonly memory: Memory;
  readonly home: OpenclawHome;
  #gateway: Gateway | null = null;

  constructor(memory: Memory) {
    this.memory = memory;
    this.home = new VariantHome(memory === 'loci hybrid' ? 'local' : 'none');
  }

  /** Writes the settings and the notes, which memory-core also indexes. */
  async prepare(notes: Notes, surroundings: Surroundings): Promise<void> {
    const { home, memory } = this;
    writeNotes(notes, home.workspace('main'));
    mkdirSync(home.lociHome, { recursive: true, mode: 0o700 });
    writeFileSync(join(home.lociHome, 'loci.yaml'), 'skills: []\n');
    home.writeConfig({
      ...baseConfig(home, await freePort(), surroundings.model),
      ...settingsOf(memory, surroundings),
    });
    if (!this.isLoci && memory !== 'none')
      await home.openclaw('memory', 'status', '--index', '--agent', 'main');
  }

  get isLoci(): boolean {
    return this.memory.startsWith('loci');
  }

  get gateway(): Gateway {
    if (this.#gateway === null) throw new Error(`the gateway with ${this.memory} does not run`);
    return this.#gateway;
  }

  async start(): Promise<Start> {
    const start = performance.now();
    const gateway = await this.home.startGateway();
    this.#gateway = gateway;
    return { readyMs: performance.now() - start, cpuMs: cpuTimeMs(gateway.pid) };
  }

  async stop(): Promise<void> {
    await this.#gateway?.stop();
    this.#gateway = null;
  }

  /** A context of the agent's namespace in the store that the gateway of Loci has open. */
  openEngine(): OpenContext {
    const caller = { surface: 'openclaw', trust: 'agent', namespace: NAMESPACE, actor: 'main' } as const;
    return createContext({ home: this.home.lociHome, env: this.home.env, caller, ownsProcess: false });
  }

  /** Waits until Loci has stored and embedded all notes. */
  async untilIndexed(notes: Notes): Promise<void> {
    const context = this.openEngine();
    try {
      // The gateway opens its memory after it is ready, so that the store may be missing.
      await context.loci({ create: true });
      const deadline = Date.now() + MAX_INDEXING_MS;
      for (;;) {
        const { records, embedding } = await statusOperation.run(context, {});
        const isEmbedded =
          embedding.configured === 'none' || (embedding.vectors > 0 && embedding.pending === 0);
        if (records >= notes.files.size && isEmbedded) return;
        if (Date.now() > deadline)
          throw new Error(
            `Loci has ${String(records)} records, and ${String(embedding.pending)} texts without a vector`,
          );
        await delay(POLL_MS);
      }
    } finally {
      await context.close();
    }
  }
}

function settingsOf(memory: Memory, surroundings: Surroundings): object {
  const plugins = (slot: string, rest: object): object => ({ plugins: { slots: { memory: slot }, ...rest } });
  const core = { enabled: true, config: { dreaming: { enabled: false } } };
  switch (memory) {
    case 'none':
      return plugins('none', { entries: { 'memory-core': { enabled: false } } });
    case 'core text':
      return {
        ...plugins('memory-core', { entries: { 'memory-core': core } }),
        memory: { search: { provider: 'none' } },
      };
    case 'core hybrid':
      return {
        ...plugins('memory-core', { entries: { 'memory-core': core } }),
        memory: {
          search: {
            provider: 'openai-compatible',
            model: 'all-MiniLM-L6-v2',
            remote: { baseUrl: surroundings.embeddings, apiKey: 'none' },
          },
        },
      };
    case 'loci text':
    case 'loci hybrid':
      return plugins('memory-loci', {
        load: { paths: [surroundings.plugin] },
        entries: {
          'memory-core': { enabled: false },
          'memory-loci': { enabled: true, config: { writes: { enabled: true } } },
        },
      });
  }
}
