import { z } from 'zod';
import { ERROR_TABLE, type ErrorCode } from '../../core/errors.ts';
import { problemInWords } from '../../engine/refresh/refresh.ts';
import type { RefreshResult } from '../../engine/sources/sources.ts';
import { millisecondsSince, tookMs } from '../shared/times.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { untold } from './source-output.ts';

export interface SourcesRefreshInput {
  readonly ids?: string[];
}

/** What came of one source. */
export interface RefreshedSource {
  readonly id: string;
  readonly name: string;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly over_cap: number;
  readonly kept: number;
  readonly problems: string[];
  readonly took_ms: number;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly hint: string };
}

export interface SourcesRefreshOutput {
  readonly sources: RefreshedSource[];
  readonly took_ms: number;
}

const count = () => z.number().int().nonnegative();
const codes = Object.keys(ERROR_TABLE) as [ErrorCode, ...ErrorCode[]];

const refreshedSource: z.ZodType<RefreshedSource> = z.strictObject({
  id: z.string(),
  name: z.string(),
  added: count(),
  updated: count(),
  unchanged: count(),
  removed: count().describe('Documents that are listed no more, or are too many.'),
  over_cap: count().describe('Documents that were printed and left out: there are more than `maxDocuments`.'),
  kept: count().describe(
    'Documents that stay although nothing was printed: a second empty answer takes them away.',
  ),
  problems: z.array(z.string()).describe('What was wrong with single documents.'),
  took_ms: tookMs(),
  error: z
    .strictObject({ code: z.enum(codes), message: z.string(), hint: z.string() })
    .exactOptional()
    .describe('Why it could not be refreshed; its last good documents stay.'),
});

export const sourcesRefresh: Operation<SourcesRefreshInput, SourcesRefreshOutput> = {
  name: 'sources-refresh',
  title: 'Refresh sources',
  description:
    'Runs the commands of sources now and brings the store up to date with what they print: new, changed and gone, in one ' +
    'transaction a source; documents that stayed the same cost nothing. A source that fails keeps its last good documents ' +
    'and keeps no other from being refreshed.',
  input: z.strictObject({
    ids: z
      .array(z.string().trim().min(1).max(128))
      .exactOptional()
      .describe(
        'Which ones, by id; all that are enabled unless given. One that is paused runs once, one that is not enabled does not.',
      ),
  }),
  output: z.strictObject({ sources: z.array(refreshedSource), took_ms: tookMs() }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  steps: true,
  examples: [
    { title: 'All of them', input: {} },
    { title: 'One of them', input: { ids: ['tasks'] } },
  ],
  run: runSourcesRefresh,
};

async function runSourcesRefresh(
  context: OperationContext,
  { ids }: SourcesRefreshInput,
): Promise<SourcesRefreshOutput> {
  const started = performance.now();
  const loci = await context.loci({ create: true });
  const results = await loci.sources.refresh(ids, context);
  const isOwner = context.machine !== undefined;
  return {
    sources: results.map((result) => refreshed(result, isOwner)),
    took_ms: millisecondsSince(started),
  };
}

/** Whoever asks from elsewhere learns that something failed, and not what programs and files said. */
function refreshed(result: RefreshResult, isOwner: boolean): RefreshedSource {
  const { id, name } = result;
  if ('error' in result) {
    const { code, hint } = result.error;
    const message = isOwner ? result.error.message : untold(id);
    const nothing = {
      added: 0,
      updated: 0,
      unchanged: 0,
      removed: 0,
      over_cap: 0,
      kept: 0,
      problems: [],
      took_ms: 0,
    };
    return { id, name, ...nothing, error: { code, message, hint } };
  }
  const { added, updated, unchanged, removed, overCap, kept, problems } = result;
  return {
    id,
    name,
    added,
    updated,
    unchanged,
    removed,
    over_cap: overCap,
    kept,
    problems: isOwner ? problems.map(problemInWords) : [],
    took_ms: Math.round(result.tookMs),
  };
}
