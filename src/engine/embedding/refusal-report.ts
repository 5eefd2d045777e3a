import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import type { Refusals, RefusedText } from '../../ingest/embed.ts';
import type { EngineContext } from '../context.ts';
import { citationsOf } from '../shared/citations.ts';

const refusal = z.strictObject({
  namespace: z.string(),
  citation: z.string(),
  // It has no words of the provider, which may quote the text.
  why: z.string().describe('Why, such as the status of HTTP. `embed test` shows what the provider says.'),
});

/** The fields of an output that say which texts the embedding provider refused. */
export const refusalFields = {
  refused: count().describe(
    'Texts that the embedding provider refuses, although it embeds others. Words find them.',
  ),
  refusals: z.array(refusal).describe('The first of these texts.'),
};

export type RefusalReport = z.infer<z.ZodObject<typeof refusalFields>>;

const MAX_NAMED = 10;

export const NO_REFUSALS: RefusalReport = { refused: 0, refusals: [] };

/** Only the operator learns of the records of other namespaces; their refused texts are counted. */
export async function refusalReport(context: EngineContext, refused: Refusals): Promise<RefusalReport> {
  if (refused.count === 0) return NO_REFUSALS;
  const { caller } = context;
  const mayKnow = ({ namespace }: RefusedText): boolean =>
    namespace === caller.namespace || caller.trust === 'operator';
  const named = refused.texts.filter(mayKnow).slice(0, MAX_NAMED);
  const refusals = await Promise.all(
    named.map(async (text) => ({
      namespace: text.namespace,
      citation: await citationOf(context.as({ ...caller, namespace: text.namespace }), text),
      why: text.why,
    })),
  );
  return { refused: refused.count, refusals };
}

async function citationOf(context: EngineContext, { record: id, hash }: RefusedText): Promise<string> {
  const { store, namespace } = context;
  const [record] = await store.records.get(namespace, [id], 'any');
  const passages = (await store.records.passagesOf(namespace, [id])).get(id) ?? [];
  const passage = passages.find((each) => each.hash === hash);
  // It was changed meanwhile.
  if (record === undefined || passage === undefined) return `record/${String(id)}`;
  const { startLine, endLine } = passage;
  const [citation = ''] = await citationsOf(context, [{ record, startLine, endLine }]);
  return citation;
}
