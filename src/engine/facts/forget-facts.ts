import type { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import type { LociRecord } from '../../core/types.ts';
import { auditDraft } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { type FactForgetOutput, type forgetFactsInput, MAX_LISTED } from './fact-fields.ts';
import { factFilter, factOfKey } from './facts.ts';
import { expire } from '../shared/retention.ts';
import { assertNotReserved } from '../fields/limits.ts';
import { assertMayReplace } from '../access/permission.ts';

const BATCH = 500;

/**
 * Deletes facts by key, by the beginning of their keys or by category; all given conditions must hold. They can be
 * undeleted by id until they expire or are purged.
 * @throws LociError `invalid_input` for a request without a condition, `not_found` for a key that no fact has;
 *   `writes_disabled` when an agent may not forget a fact of the operator
 */
export async function forgetFacts(
  context: EngineContext,
  request: z.infer<typeof forgetFactsInput>,
): Promise<FactForgetOutput> {
  const { key, prefix, category } = request;
  if (key === undefined && prefix === undefined && category === undefined) {
    throw new LociError('invalid_input', 'nothing says which facts to forget', {
      hint: 'Give a key, a prefix or a category.',
    });
  }
  if (category !== undefined) assertNotReserved(category);
  if (key !== undefined && prefix === undefined) {
    const given = { key, ...(category !== undefined && { category }) };
    return forgotten(await deleteFacts(context, [await factOfKey(context, given)]));
  }
  const pageAfter = async (after: number | null): Promise<LociRecord[]> => {
    await expire(context);
    const filter = { ...factFilter(context, request), ...(key !== undefined && { key }) };
    return context.store.records.list(context.namespace, { filter }, { after, limit: BATCH });
  };
  // Checks all facts before it deletes the first.
  for (let page = await pageAfter(null); page.length > 0; page = await pageAfter(page.at(-1)!.id))
    assertMayReplace(context, page);
  const facts: LociRecord[] = [];
  for (;;) {
    const page = await pageAfter(null);
    if (page.length === 0) return forgotten(facts);
    facts.push(...(await deleteFacts(context, page)));
  }
}

function forgotten(facts: readonly LociRecord[]): FactForgetOutput {
  return {
    forgotten: facts.length,
    facts: facts.slice(0, MAX_LISTED).map(({ id, key, category }) => ({ id, key: key ?? '', category })),
  };
}

/** Returns the deleted facts: none when another process deleted one of them first. */
async function deleteFacts(
  context: EngineContext,
  facts: readonly LociRecord[],
): Promise<readonly LociRecord[]> {
  assertMayReplace(context, facts);
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
