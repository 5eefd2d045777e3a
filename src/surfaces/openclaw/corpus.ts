import { withDeadline } from './host/deadline.ts';
import type { GatewayMemory } from './gateway-memory.ts';
import type { CorpusSupplement } from './host/api.ts';
import { DEFAULT_AGENT, type Turn } from './host/turn.ts';

const CORPUS = 'loci';
const DEADLINE_MS = 5000;
const DEFAULT_RESULTS = 6;

/** The facts and runs of an agent as documents for the memory of another plugin (F7). */
export function corpusSupplement(memory: GatewayMemory): CorpusSupplement {
  return {
    async search({ query, maxResults = DEFAULT_RESULTS, ...caller }) {
      const { engine, tools } = await withDeadline(memory.open(), DEADLINE_MS);
      const documents = await withDeadline(
        tools.corpusDocuments(engine, { query, limit: maxResults }, turnOfCaller(caller)),
        DEADLINE_MS,
      );
      return documents.map(({ docid, path, collection, score, title, snippet }) => ({
        corpus: CORPUS,
        path,
        title,
        kind: collection,
        score,
        snippet,
        id: docid,
      }));
    },
    async get({ lookup, fromLine, lineCount, ...caller }) {
      const { engine, tools } = await withDeadline(memory.open(), DEADLINE_MS);
      const input = {
        path: lookup,
        ...(fromLine !== undefined && { from: fromLine }),
        ...(lineCount !== undefined && { lines: lineCount }),
      };
      const read = await withDeadline(
        tools.readMemory(engine, input, { turn: turnOfCaller(caller) }),
        DEADLINE_MS,
      );
      if (read.status === 'not_found') return null;
      return {
        corpus: CORPUS,
        path: lookup,
        title: lookup,
        content: read.text,
        fromLine: read.from,
        lineCount: read.lines,
      };
    },
  };
}

/** The host says nothing of the sender here, so that only the sandbox can restrict the agent. */
function turnOfCaller({ agentId, sandboxed }: { agentId?: string; sandboxed?: boolean }): Turn {
  return { agent: agentId ?? DEFAULT_AGENT, isOwner: true, isSandboxed: sandboxed === true };
}
