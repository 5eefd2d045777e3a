import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { namespaceOf } from './host/agents.ts';
import { withoutHidden } from '../shared/escape-control.ts';
import type { CorpusCaller, CorpusSupplement, PluginApi, PluginEntry } from './host/api.ts';
import { DEFAULT_AGENT } from './host/turn.ts';

const ID = 'loci-corpus';
const CORPUS = 'loci';
const DEFAULT_RESULTS = 6;
const DEADLINE_MS = 10_000;
const MAX_OUTPUT_BYTES = 20_000_000;

interface CorpusConfig {
  readonly home?: string;
  readonly agents?: Readonly<Record<string, { readonly namespace?: string } | undefined>>;
  readonly sandboxed?: { readonly read?: string };
}

/**
 * The plugin for people who keep memory-core: it adds the facts and runs of Loci to what memory-core searches with `corpus=all` (F7).
 * It is asked rarely, so that it runs the command line in place of an engine. The host copies the modules of a plugin, but not the
 * package around its folder, so that it may import nothing that needs the rest of Loci.
 */
const plugin: PluginEntry = {
  id: ID,
  name: 'Loci corpus',
  description: 'The facts and runs of Loci beside another memory',
  register(api) {
    // The host accepts a supplement only while it registers the plugin.
    api.registerMemoryCorpusSupplement(supplement(api));
  },
};

export default plugin;

function supplement(api: PluginApi): CorpusSupplement {
  return {
    async search({ query, maxResults = DEFAULT_RESULTS, ...caller }) {
      if (!mayRead(api, caller)) return [];
      const words = ['fact', 'corpus', '--json', '--limit', String(Math.min(Math.max(1, maxResults), 500))];
      const { documents } = (await runLoci(api, caller, [...words, '--', query.slice(0, 2000)])) as {
        readonly documents: readonly CorpusDocument[];
      };
      return documents.map(({ docid, path, collection, score, title, snippet }) => ({
        corpus: CORPUS,
        path,
        title: withoutHidden(title),
        kind: collection,
        score,
        snippet: withoutHidden(snippet),
        id: docid,
      }));
    },
    async get({ lookup, fromLine = 1, lineCount, ...caller }) {
      if (!mayRead(api, caller)) return null;
      const record = (await runLoci(api, caller, ['get', '--json', '--', lookup])) as {
        readonly title: string;
        readonly text: string;
      } | null;
      if (record === null) return null;
      const lines = record.text.split('\n').slice(fromLine - 1, lineCount && fromLine - 1 + lineCount);
      return {
        corpus: CORPUS,
        path: lookup,
        title: withoutHidden(record.title),
        content: withoutHidden(lines.join('\n')),
        fromLine,
        lineCount: lines.length,
      };
    },
  };
}

interface CorpusDocument {
  readonly docid: string;
  readonly path: string;
  readonly collection: string;
  readonly score: number;
  readonly title: string;
  readonly snippet: string;
}

/** The host says nothing of the sender here, so that only the sandbox can restrict the agent. */
function mayRead({ pluginConfig = {} }: PluginApi, { sandboxed = false }: CorpusCaller): boolean {
  return !sandboxed || (pluginConfig as CorpusConfig).sandboxed?.read !== 'none';
}

/** The JSON of a command in the namespace of the agent; `null` for a record that is not there. */
async function runLoci(
  api: PluginApi,
  { agentId = DEFAULT_AGENT }: CorpusCaller,
  words: string[],
): Promise<unknown> {
  const { home, agents } = (api.pluginConfig ?? {}) as CorpusConfig;
  const commandLine = join(api.rootDir ?? import.meta.dirname, '../../bin/loci.js');
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [commandLine, ...words], {
      env: {
        ...process.env,
        LOCI_NAMESPACE: namespaceOf(agentId, agents),
        ...(home !== undefined && { LOCI_HOME: home }),
      },
      timeout: DEADLINE_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    return JSON.parse(stdout) as unknown;
  } catch (error) {
    const { code, message } = errorOf(error);
    if (code === 'not_found') return null;
    throw new Error(message, { cause: error });
  }
}

/** The error that a command has printed as JSON. */
function errorOf(failure: unknown): { readonly code: string; readonly message: string } {
  const { stdout = '', message } = failure as { readonly stdout?: string; readonly message: string };
  try {
    const { error } = JSON.parse(stdout) as {
      readonly error: { readonly code: string; readonly message: string };
    };
    return error;
  } catch {
    return { code: 'internal', message };
  }
}
