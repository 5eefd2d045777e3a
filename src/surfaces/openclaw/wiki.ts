import { answerWithin } from './host/deadline.ts';
import { readSupplements, searchSupplements } from './host/supplements.ts';
import type { Turn } from './host/turn.ts';

/** A call of a tool that may ask for a wiki. */
interface WikiCall {
  readonly turn: Turn;
  readonly session: string | undefined;
}

const DEADLINE_MS = 8000;
const DEFAULT_RESULTS = 6;
const ONLY_OWNERS = 'Only turns of the owner outside of a sandbox read wikis.';

/** What the tools of memory-core accept as `corpus`. A recall of the host may be one of conversations alone. */
export function wantsWiki(input: unknown, { recall }: Pick<Turn, 'recall'>): 'only' | 'too' | 'not' {
  if (recall?.corpus === 'sessions') return 'not';
  const { corpus } = (input ?? {}) as { readonly corpus?: unknown };
  return corpus === 'wiki' ? 'only' : corpus === 'all' ? 'too' : 'not';
}

/** The hits of wikis that other plugins have registered, and sentences about those that have not answered. */
export async function searchWikis(
  { query, maxResults = DEFAULT_RESULTS }: { readonly query: string; readonly maxResults?: number },
  call: WikiCall,
): Promise<{ readonly hits: readonly unknown[]; readonly problems: readonly string[] }> {
  if (!isAllowed(call)) return { hits: [], problems: [ONLY_OWNERS] };
  try {
    return await answerWithin(searchSupplements(query, maxResults, callerOf(call)), DEADLINE_MS);
  } catch (error) {
    return { hits: [], problems: [`Wikis cannot be searched: ${String(error)}`] };
  }
}

/** A page of a wiki in the form of `memory_get`; `null` if there is none. */
export async function readWikiPage(
  { path, from, lines }: { readonly path: string; readonly from?: number; readonly lines?: number },
  call: WikiCall,
): Promise<unknown> {
  if (!isAllowed(call)) return null;
  const request = {
    lookup: path,
    ...(from !== undefined && { fromLine: from }),
    ...(lines !== undefined && { lineCount: lines }),
  };
  const page = await answerWithin(readSupplements(request, callerOf(call)), DEADLINE_MS);
  if (page === null) return null;
  const { content, ...rest } = page;
  return { status: 'ok', ...rest, text: content };
}

function isAllowed({ turn }: WikiCall): boolean {
  return turn.isOwner && !turn.isSandboxed;
}

function callerOf({ turn, session }: WikiCall) {
  return {
    agentId: turn.agent,
    sandboxed: turn.isSandboxed,
    ...(session !== undefined && { agentSessionKey: session }),
  };
}
