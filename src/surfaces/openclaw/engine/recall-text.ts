import { ReceiptLog } from '../../../engine/packs/receipt-log.ts';
import { dayText } from '../../../core/time/whole-day.ts';
import type { LaterRecord } from '../../../core/valid-until.ts';
import type { EngineContext } from '../../../engine/context.ts';
import { wholeCitations } from '../../../engine/shared/citations.ts';
import { laterFirst } from '../../../search/newest-first.ts';
import type { SearchOutcome } from '../../../search/search.ts';
import type { recallPack as recallPackFunction } from '../../../engine/packs/memory-pack.ts';
import { citationPrefix } from '../../shared/several-namespaces.ts';
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
  const { recallPack, recallSearch } = await import('../../../engine/packs/memory-pack.ts');
  const searched = await Promise.all(
    [own, ...grant.shared].map(async (namespace): Promise<SearchedNamespace> => {
      const loci = await engine.loci(namespace);
      const outcome = await recallSearch(loci, { query, limit });
      return { loci, outcome, prefix: citationPrefix(namespace, own), laterElsewhere: new Map(), best: 0 };
    }),
  );
  await compareNamespaces(searched);
  const packs = await Promise.all(
    searched.map(async (each) => {
      const { loci, outcome, prefix: prefixOf, laterElsewhere } = each;
      const pack = (chars: number): ReturnType<typeof recallPackFunction> =>
        recallPack(loci, {
          ...{ query, outcome, minScore, prompt, maxChars: chars },
          ...{ citationPrefix: prefixOf, laterElsewhere },
        });
      const first = await pack(maxChars);
      const score = first.items.reduce((max, item) => Math.max(max, item.score), each.best);
      return { loci, pack, first, score, laterElsewhere };
    }),
  );
  const best = Math.max(...packs.map(({ score }) => score));
  // Of two that are as good, the one with the later value stands first.
  packs.sort((a, b) => b.score - a.score || a.laterElsewhere.size - b.laterElsewhere.size);
  const texts: string[] = [];
  let left = maxChars;
  for (const { loci, pack, first, score } of packs) {
    if (first.text === '' || score < MIN_SHARE * best || left < MIN_CHARS) continue;
    const made = first.text.length <= left ? first : await pack(left);
    if (made.text === '') continue;
    texts.push(made.text);
    left -= made.text.length;
    loci.shared(ReceiptLog).record(loci.namespace, () => Promise.resolve(made.receipt));
  }
  return texts.join('\n\n');
}

/** What a namespace has about a message. */
interface SearchedNamespace {
  readonly loci: EngineContext;
  readonly outcome: SearchOutcome;
  readonly prefix: string;
  readonly laterElsewhere: Map<number, LaterRecord>;
  /** The confidence that a later value has in the place of an earlier one of another namespace. */
  best: number;
}

/** Applies the rule for results that say the same at different times to the results of all namespaces. */
async function compareNamespaces(searched: readonly SearchedNamespace[]): Promise<void> {
  const found = searched
    .flatMap((from) => from.outcome.hits.map((hit) => ({ from, hit, search: from.outcome })))
    .sort((a, b) => b.hit.confidence - a.hit.confidence);
  const isOfSeveral = searched.filter(({ outcome }) => outcome.hits.length > 0).length > 1;
  const placed = isOfSeveral ? await laterFirst(found) : null;
  for (const { found: earlier, later } of placed ?? []) {
    if (later === undefined || later.found.from === earlier.from) continue;
    const { from, hit } = later.found;
    const [citation] = await wholeCitations(from.loci, [hit.passage.record]);
    const named = { citation: from.prefix + citation!, date: dayText(later.time) };
    earlier.from.laterElsewhere.set(earlier.hit.passage.record.id, named);
    from.best = Math.max(from.best, earlier.hit.confidence);
  }
}
