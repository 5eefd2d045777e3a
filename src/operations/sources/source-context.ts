import { hasSources } from '../../engine/reading/configured/configured-sources.ts';
import type { OperationContext } from '../operation.ts';

/**
 * Opens the engine. For the operator, a missing store is created when there are sources or skills, because listing them is the first
 * step with a new source.
 * @throws LociError `store_not_found` when there are no sources either
 */
export async function openForSources(context: OperationContext): ReturnType<OperationContext['loci']> {
  if (!context.isOwner) return context.loci();
  const { values } = await context.loadConfig();
  return context.loci({ create: await hasSources(values) });
}

/** What the caller may see, and its signal. */
export function viewerOf({ isOwner, signal, onProgress }: OperationContext) {
  return { isOwner, signal, onProgress };
}
