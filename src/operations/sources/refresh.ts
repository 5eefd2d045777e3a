import { z } from 'zod';
import { formatProblem } from '../../engine/reading/refresh/source-failure.ts';
import { sourcesOf, type RefreshResult } from '../../engine/reading/sources.ts';
import { millisecondsSince, tookMs } from '../../engine/fields/times.ts';
import type { Operation } from '../operation.ts';
import { errorFields } from '../../engine/fields/problems.ts';
import { failureNotice } from './source-output.ts';

const count = () => z.number().int().nonnegative();

const input = z.strictObject({
  ids: z
    .array(z.string().trim().min(1).max(128))
    .max(1000)
    .exactOptional()
    .describe(
      'The ids of the sources; all enabled ones unless given. A paused source runs once, a disabled one does not.',
    ),
});

const refreshedSource = z.strictObject({
  id: z.string(),
  name: z.string(),
  added: count(),
  updated: count(),
  unchanged: count(),
  removed: count().describe('Documents that are no longer printed, or are too many.'),
  over_cap: count().describe('Documents that were printed and left out because of `maxDocuments`.'),
  kept: count().describe(
    'Documents that stay although the command printed none. A second empty answer removes them.',
  ),
  problems: z.array(z.string()).describe('Problems of single documents.'),
  took_ms: tookMs(),
  error: errorFields().exactOptional().describe('Why the refresh failed; the last good documents stay.'),
});
export type RefreshedSource = z.infer<typeof refreshedSource>;

const output = z.strictObject({ sources: z.array(refreshedSource), took_ms: tookMs() });
export type SourcesRefreshOutput = z.infer<typeof output>;

export const sourcesRefreshOperation: Operation<typeof input, typeof output> = {
  name: 'sources-refresh',
  title: 'Refresh sources',
  description:
    'Runs the commands of sources now and updates the store to the documents that they print, in one transaction for each ' +
    'source. Unchanged documents are not written. A source that fails keeps its last good documents, and does not affect the ' +
    'others.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  steps: true,
  examples: [
    { title: 'Refresh all sources', input: {} },
    { title: 'Refresh one source', input: { ids: ['tasks'] } },
  ],
  run: async (context, { ids }) => {
    const started = performance.now();
    const loci = await context.loci({ create: true });
    const results = await sourcesOf(loci).refresh(ids, context);
    const isOwner = context.machine !== undefined;
    return {
      sources: results.map((result) => toOutput(result, isOwner)),
      took_ms: millisecondsSince(started),
    };
  },
};

/** A remote caller learns that a source failed, but not its error. */
function toOutput(result: RefreshResult, isOwner: boolean): RefreshedSource {
  const { id, name } = result;
  if ('error' in result) {
    const { code, hint } = result.error;
    const message = isOwner ? result.error.message : failureNotice(id);
    const nothing = { added: 0, updated: 0, unchanged: 0, removed: 0, over_cap: 0, kept: 0 };
    return { id, name, ...nothing, problems: [], took_ms: 0, error: { code, message, hint } };
  }
  const { added, updated, unchanged, removed, overCap, retained: kept, problems } = result;
  return {
    id,
    name,
    added,
    updated,
    unchanged,
    removed,
    over_cap: overCap,
    kept,
    problems: isOwner ? problems.map(formatProblem) : [],
    took_ms: Math.round(result.tookMs),
  };
}
