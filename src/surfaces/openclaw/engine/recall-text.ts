import { ReceiptLog } from '../../../engine/packs/receipt-log.ts';
import type { recallPack as recallPackFunction } from '../../../engine/packs/memory-pack.ts';
import { citationPrefix } from '../../../operations/records/several-namespaces.ts';
import type { Turn } from '../host/turn.ts';
import type { GatewayEngine } from './engine.ts';
import { requireReadable } from '../host/grant.ts';

/** A namespace whose best record has a lower share of the best score of all is not worth a text. */
const MIN_SHARE = 0.5;
/** A text of fewer characters has no room for a record. */
const MIN_CHARS = 400;

interface RecallRequest {
  readonly query: string;
  /** Texts that the prompt of the turn has already. */
  readonly prompt: readonly string[];
}

/**
 * Recalls what is known about a message: a pack of each namespace that the turn may read, the best first, as far as they fit into
 * the settings of auto-recall. Empty if nothing is likely to be about the message. Each pack has a receipt in its own namespace,
 * because namespaces do not know the records of each other. The text does not wait for the receipts.
 * @throws LociError
 */
export async function recallText(
  engine: GatewayEngine,
  { query, prompt }: RecallRequest,
  turn: Turn,
): Promise<string> {
  const { limit, minScore, maxChars } = engine.settings.autoRecall;
  const grant = engine.grant(turn);
  const own = requireReadable(grant);
  const { recallPack } = await import('../../../engine/packs/memory-pack.ts');
  const packs = await Promise.all(
    [own, ...grant.shared].map(async (namespace) => {
      const loci = await engine.loci(namespace);
      const pack = (chars: number): ReturnType<typeof recallPackFunction> =>
        recallPack(loci, {
          ...{ query, limit, minScore, prompt, maxChars: chars },
          citationPrefix: citationPrefix(namespace, own),
        });
      const first = await pack(maxChars);
      const score = first.items.reduce((best, item) => Math.max(best, item.score), 0);
      return { loci, pack, first, score };
    }),
  );
  const best = Math.max(...packs.map(({ score }) => score));
  const texts: string[] = [];
  let left = maxChars;
  for (const { loci, pack, first, score } of packs.toSorted((a, b) => b.score - a.score)) {
    if (first.text === '' || score < MIN_SHARE * best || left < MIN_CHARS) continue;
    const made = first.text.length <= left ? first : await pack(left);
    if (made.text === '') continue;
    texts.push(made.text);
    left -= made.text.length;
    loci.shared(ReceiptLog).record(loci.namespace, () => Promise.resolve(made.receipt));
  }
  return texts.join('\n\n');
}
