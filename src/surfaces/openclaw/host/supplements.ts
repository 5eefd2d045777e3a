import type { CorpusHit, CorpusSupplement, CorpusText } from './api.ts';

/** The module in which the host keeps what plugins register beside its memory, such as its wiki. The host resolves it. */
const REGISTRY = 'openclaw/plugin-sdk/memory-core-host-runtime-core';

interface Registry {
  readonly listMemoryCorpusSupplements: () => readonly {
    readonly pluginId: string;
    readonly supplement: CorpusSupplement;
  }[];
}

/** What the supplements have answered. */
interface Asked<Answer> {
  readonly answers: readonly Answer[];
  /** Sentences about those that have not. */
  readonly problems: readonly string[];
}

type Caller = Pick<Parameters<CorpusSupplement['search']>[0], 'agentId' | 'agentSessionKey' | 'sandboxed'>;

/** Searches the corpora of other plugins. The best hit comes first. */
export async function searchSupplements(
  query: string,
  maxResults: number,
  caller: Caller,
): Promise<{ readonly hits: readonly CorpusHit[]; readonly problems: readonly string[] }> {
  const { answers, problems } = await ask((each) => each.search({ query, maxResults, ...caller }));
  const hits = answers.flat().sort((a, b) => b.score - a.score);
  return { hits: hits.slice(0, maxResults), problems };
}

/** Reads a page of the first corpus that has it; `null` if none has. */
export async function readSupplements(
  request: { readonly lookup: string; readonly fromLine?: number; readonly lineCount?: number },
  caller: Caller,
): Promise<CorpusText | null> {
  const { answers } = await ask((each) => each.get({ ...request, ...caller }));
  return answers.find((each) => each !== null) ?? null;
}

async function ask<Answer>(
  question: (supplement: CorpusSupplement) => Promise<Answer>,
): Promise<Asked<Answer>> {
  const { listMemoryCorpusSupplements } = (await import(REGISTRY)) as Registry;
  const supplements = listMemoryCorpusSupplements();
  if (supplements.length === 0) return { answers: [], problems: ['No plugin has registered a wiki.'] };
  const outcomes = await Promise.allSettled(supplements.map(async ({ supplement }) => question(supplement)));
  return {
    answers: outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    problems: outcomes.flatMap((each, i) =>
      each.status === 'rejected' ? [`${supplements[i]!.pluginId} has failed: ${String(each.reason)}`] : [],
    ),
  };
}
