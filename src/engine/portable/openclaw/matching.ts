import { shortHash } from '../../../core/ids.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { Fragment } from './fragments.ts';

/** A fragment of a file and the record that an earlier import made of it. */
export interface Pairing {
  /** `null` when the file no longer has it. */
  readonly fragment: Fragment | null;
  /** `null` for a new fragment. */
  readonly record: LociRecord | null;
}

/** What a record's metadata says about its import. */
interface ImportMetadata {
  readonly heading: unknown;
  /** Hash of the fragment's content as it was imported. */
  readonly hash: unknown;
  /** Whether an import deleted the record because the file no longer had it. */
  readonly removed: boolean;
}

export function importMetadataOf({ metadata }: LociRecord): ImportMetadata {
  return {
    heading: metadata['heading'] ?? '',
    hash: metadata['imported'],
    removed: metadata['removed'] === true,
  };
}

export function contentHash({ content }: { readonly content: string }): string {
  return shortHash(content);
}

/** Two list items that share this part of their words are the same item, edited. */
const MIN_SIMILARITY = 0.5;
/** The maximum number of records under its heading that an item is compared with, oldest first. Comparing all pairs takes minutes. */
const MAX_COMPARISONS = 100;

/**
 * Pairs the fragments of a file with its records: first those that are unchanged, then those that moved to another
 * heading, then those that were edited. An edited section is recognised by its heading, an edited item by its words.
 */
export function matchFragments(fragments: readonly Fragment[], records: readonly LociRecord[]): Pairing[] {
  const imported = new Map(records.map((record) => [record, importMetadataOf(record)]));
  const hashes = new Map(fragments.map((fragment) => [fragment, contentHash(fragment)]));
  const matcher = new Matcher(fragments, records);
  matcher.match(
    (fragment) => [fragment.heading, hashes.get(fragment)],
    (record) => [imported.get(record)?.heading, imported.get(record)?.hash],
  );
  matcher.match(
    (fragment) => hashes.get(fragment),
    (record) => imported.get(record)?.hash,
  );
  // A record that the user deleted is not the earlier state of another fragment.
  const isCandidate = (record: LociRecord): boolean =>
    record.deletedAt === null || imported.get(record)?.removed === true;
  const words = new WordCache();
  matcher.match(
    ({ heading, kind }) => [heading, kind === 'section' ? 'note' : 'fact'],
    (record) => isCandidate(record) && [imported.get(record)?.heading, record.recordType],
    (fragment, record) =>
      fragment.kind === 'section' || similarity(words.of(fragment), words.of(record)) >= MIN_SIMILARITY,
  );
  return matcher.result();
}

/** Matches each fragment and each record at most once. */
class Matcher {
  readonly #matches: Pairing[] = [];
  readonly #records: Set<LociRecord>;
  #fragments: readonly Fragment[];

  constructor(fragments: readonly Fragment[], records: readonly LociRecord[]) {
    this.#fragments = fragments;
    this.#records = new Set(records);
  }

  /** Matches what is left where both keys are equal and the two are similar. */
  match(
    fragmentKey: (fragment: Fragment) => unknown,
    recordKey: (record: LociRecord) => unknown,
    isSimilar: (fragment: Fragment, record: LociRecord) => boolean = () => true,
  ): void {
    const groups = Map.groupBy(this.#records, (record) => JSON.stringify(recordKey(record)));
    const candidatesByKey = new Map([...groups].map(([key, records]) => [key, new Set(records)]));
    this.#fragments = this.#fragments.filter((fragment) => {
      const candidates = candidatesByKey.get(JSON.stringify(fragmentKey(fragment)));
      const record = findFirst(candidates, (candidate) => isSimilar(fragment, candidate));
      if (record === undefined) return true;
      candidates?.delete(record);
      this.#records.delete(record);
      this.#matches.push({ fragment, record });
      return false;
    });
  }

  /** The pairs, then new fragments, then records that the file no longer has. */
  result(): Pairing[] {
    const added = this.#fragments.map((fragment) => ({ fragment, record: null }));
    const removed = [...this.#records].filter(({ deletedAt }) => deletedAt === null);
    return [...this.#matches, ...added, ...removed.map((record) => ({ fragment: null, record }))];
  }
}

function findFirst(
  candidates: Iterable<LociRecord> | undefined,
  isWanted: (record: LociRecord) => boolean,
): LociRecord | undefined {
  let compared = 0;
  for (const record of candidates ?? []) {
    if (isWanted(record)) return record;
    if (++compared === MAX_COMPARISONS) return undefined;
  }
  return undefined;
}

/** The words of texts that are compared several times. */
class WordCache {
  readonly #words = new Map<{ readonly content: string }, ReadonlySet<string>>();

  of(text: { readonly content: string }): ReadonlySet<string> {
    const words = this.#words.get(text) ?? wordsIn(text.content);
    this.#words.set(text, words);
    return words;
  }
}

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** Dice's coefficient of two sets of words, 0 to 1 (Dice 1945). */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
}
