import type { StoredPassage } from '../store/search-model.ts';
import { anchorsIn, combineAnchors, matchAnchor, type Anchor, type AnchorMatch } from './rank/anchor-text.ts';
import { replacementsOf } from './retrieve/text.ts';
import type { Smoothed } from './rank/smooth.ts';
import type { RetrievalResult } from './retrieve/retrieve.ts';
import type { SearchRun } from './run.ts';

/** What the links of other notes say about a note. */
export interface LinkEvidence {
  /** The part of what the note's own score leaves to 1 that the links add. 0 to 1. */
  readonly strength: number;
  /** The link that matches best, and the note that has it. */
  readonly best: LinkMatch;
}

interface LinkMatch extends Anchor, AnchorMatch {
  readonly record: number;
  readonly title: string;
  /** 0 to 1. */
  readonly strength: number;
}

export interface LinkedNotes {
  /** By the id of the target. */
  readonly evidence: ReadonlyMap<number, LinkEvidence>;
  /** The first passages of the targets that no signal found. */
  readonly passages: readonly StoredPassage[];
}

/** A link that has fewer terms of the query is not evidence, unless the query has fewer. */
const MIN_TERMS = 2;
/** The links that are resolved: the best matches. */
const MAX_LINKS = 60;
/** One target may be written in several ways, and a note may link to it as a link and as an embed. */
const MAX_RESOLVED = 1000;

const NONE: LinkedNotes = { evidence: new Map(), passages: [] };

/**
 * Finds the notes to which the passages of the pool link, if the words around a link match the query. No index is needed: a
 * sentence that matches is part of a passage that words or vectors find. Only passages that the search may see take part.
 */
export async function linkedNotes(
  run: SearchRun,
  retrieved: RetrievalResult,
  pool: readonly Smoothed[],
  passages: readonly StoredPassage[],
): Promise<LinkedNotes> {
  const matches = bestMatches(run, retrieved, pool, passages);
  if (matches.length === 0) return NONE;
  const { store, namespace, filter } = run;
  const selector = {
    from: [...new Set(matches.map(({ record }) => record))],
    targets: [...new Set(matches.map(({ target }) => target))],
  };
  const links = await store.records.links(namespace, selector, { after: null, limit: MAX_RESOLVED });
  const resolved = new Map(links.map((link) => [linkKey(link), link]));
  const byTarget = new Map<number, LinkMatch[]>();
  const firstPassages = new Map<number, number>();
  for (const match of matches) {
    const link = resolved.get(linkKey(match));
    const { targetRecord = null, targetPassage = null } = link ?? {};
    if (targetRecord === null || targetPassage === null || targetRecord === match.record) continue;
    byTarget.set(targetRecord, [...(byTarget.get(targetRecord) ?? []), match]);
    firstPassages.set(targetRecord, targetPassage);
  }
  const known = new Set(passages.map(({ record }) => record.id));
  const unknown = [...firstPassages].flatMap(([record, passage]) => (known.has(record) ? [] : [passage]));
  const loaded =
    unknown.length === 0 ? [] : (await store.search.passages(namespace, unknown, filter)).passages;
  return {
    evidence: new Map([...byTarget].map(([target, of]) => [target, evidenceOf(of)])),
    passages: loaded,
  };
}

function linkKey({ record, target }: { readonly record: number; readonly target: string }): string {
  return `${String(record)} ${target}`;
}

/** Each note counts once, by its best link. @param matches links to one target, best first */
function evidenceOf(matches: readonly LinkMatch[]): LinkEvidence {
  const byNote = [...Map.groupBy(matches, ({ record }) => record).values()].map(([best]) => best!);
  return { strength: combineAnchors(byNote.map(({ strength }) => strength)), best: byNote[0]! };
}

/** The links whose words match the query, best first. */
function bestMatches(
  { ranking: { anchorText, weights }, intent }: SearchRun,
  { terms, corrections }: RetrievalResult,
  pool: readonly Smoothed[],
  passages: readonly StoredPassage[],
): LinkMatch[] {
  if (anchorText === null || intent?.listOnly === true || terms.length === 0) return [];
  const replacements = replacementsOf({ terms, corrections });
  const entries = new Map(pool.map((entry) => [entry.passage, entry]));
  const matches = passages.flatMap((passage): LinkMatch[] => {
    const entry = entries.get(passage.id);
    if (entry === undefined) return [];
    const vector = entry.contributions.find(({ signal }) => signal === 'vector')?.added ?? 0;
    const meaning = weights.vector === 0 ? 0 : Math.min(1, vector / weights.vector);
    const { id: record, title } = passage.record;
    return anchorsIn(passage).flatMap((anchor) => {
      const match = matchAnchor(anchor, terms, replacements, anchorText);
      if (match.matched < Math.min(MIN_TERMS, terms.length)) return [];
      const strength = Math.min(1, anchorText.words * match.coverage + anchorText.meaning * meaning);
      return [{ ...anchor, ...match, record, title, strength }];
    });
  });
  return matches.sort((a, b) => b.strength - a.strength || a.record - b.record).slice(0, MAX_LINKS);
}
