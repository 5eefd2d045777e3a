import { LociError } from '../../core/errors.ts';
import type { LociRecord } from '../../core/types.ts';
import { auditDraft } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { factFilter, recallFact, assertNotReserved } from './facts.ts';
import { assertMayOverrule } from '../access/permission.ts';

export interface ForgetRequest {
  readonly key?: string;
  readonly prefix?: string;
  readonly category?: string;
}

export interface Forgotten {
  readonly facts: readonly Pick<LociRecord, 'id' | 'key' | 'category'>[];
}

const BATCH = 500;

/**
 * Deletes facts by key, by the beginning of their keys or by category; all that are given must hold. They can be
 * brought back by id until they are purged or their time is over.
 * @throws LociError `invalid_input` for a request that names nothing, `not_found` for a key that is not there;
 *   `writes_disabled` where an agent may not forget what the operator said
 */
export async function forgetFacts(context: EngineContext, request: ForgetRequest): Promise<Forgotten> {
  const { key, prefix, category } = request;
  if (key === undefined && prefix === undefined && category === undefined) {
    throw new LociError('invalid_input', 'nothing says which facts to forget', {
      hint: 'Give a key, a prefix or a category.',
    });
  }
  if (category !== undefined) assertNotReserved(category);
  if (key !== undefined && prefix === undefined) {
    return { facts: await deleteFacts(context, [await recallFact(context, key, category)]) };
  }
  const pageBehind = async (after: number | null): Promise<LociRecord[]> => {
    await context.expire();
    const filter = { ...factFilter(context, request), ...(key !== undefined && { key }) };
    return context.store.records.list(context.namespace, { filter }, { after, limit: BATCH });
  };
  // All or none: what may not go is told before anything has gone.
  for (let page = await pageBehind(null); page.length > 0; page = await pageBehind(page.at(-1)!.id))
    assertMayOverrule(context, page);
  const facts: LociRecord[] = [];
  for (;;) {
    const page = await pageBehind(null);
    if (page.length === 0) return { facts };
    facts.push(...(await deleteFacts(context, page)));
  }
}

/** Those that went; somebody else may have been quicker with some. */
async function deleteFacts(
  context: EngineContext,
  facts: readonly LociRecord[],
): Promise<readonly LociRecord[]> {
  assertMayOverrule(context, facts);
  const at = context.now();
  try {
    await context.store.records.commit(context.namespace, {
      deletions: facts.map(({ id }) => ({ id, at })),
      audit: facts.map(({ uuid }) => auditDraft(context, 'forget', uuid)),
    });
    return facts;
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'not_found') throw error;
    return [];
  }
}
