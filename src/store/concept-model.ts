/** The types of concepts: the names that records have and mention. */

/**
 * Where a name comes from, the most certain first. `opening`: the text has the phrase at the beginning of sentences only. `word`:
 * it has the word in lower case too, which speaks against a name.
 */
export const NAME_KINDS = ['title', 'alias', 'tag', 'phrase', 'opening', 'word'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** A name that a record has. Derived from the record alone. */
export interface ConceptName {
  /** The form in which names are compared; see `core/names/name.ts`. */
  readonly key: string;
  /** As written. */
  readonly text: string;
  readonly kind: NameKind;
  /** Line of the text, from 1; `null` for a name of the properties. */
  readonly line: number | null;
}

/** A title or alias of another record in the text of a record. */
export interface ConceptMention {
  readonly key: string;
  /** Line of the first occurrence, from 1. */
  readonly line: number;
  /** How often it occurs. */
  readonly count: number;
}

/** The names of a record. */
export interface RecordNames {
  readonly project: string;
  /** The id of its node in the graph if it is a note, else `null`. */
  readonly note: string | null;
  /** One for each key. */
  readonly names: readonly ConceptName[];
}

/** What the concepts of a namespace derive from one record. */
export interface RecordConcepts extends RecordNames {
  /** One for each key. */
  readonly mentions: readonly ConceptMention[];
}

/** A title or alias of a record; or a tag, phrase or word as records spell it. */
export interface StoredName extends Pick<ConceptName, 'key' | 'text' | 'kind'>, Pick<RecordNames, 'project'> {
  /** The record; of several, the first. */
  readonly record: number;
  /** The id of its node for a title or alias, else `null`. */
  readonly note: string | null;
  /** How many records have it, with this text and kind; 1 for a title or alias. */
  readonly count: number;
}

/** Which names of the records of a project. */
export interface NameSelector {
  readonly project: string;
  /**
   * Only names with these keys, and the titles and aliases of the notes that have one of them as a title or alias. Otherwise all
   * titles and aliases, and the tags and phrases that two or more records have and that more
   * have as a phrase than as a word.
   */
  readonly only?:
    | { readonly keys: readonly string[] }
    /** The titles and aliases whose keys begin with one of these words, without their notes; in the order of the words, then of the keys. */
    | { readonly firstWords: readonly string[] }
    /** All titles and aliases. */
    | 'claims';
  /** Leaves out what records of vaults and sources with these names say, as if they were not there. */
  readonly excludedSources?: readonly string[];
}

// ── Derivation ───────────────────────────────────────────────────────────────────────────────────

/** How far the names and mentions have been derived. */
interface ConceptProgress {
  /** The last change of a record whose names and mentions are derived; 0 before the first time. */
  readonly upTo: number;
  /** Identifies the rules by which they were derived; empty before the first time. */
  readonly rules: string;
}

/** A name of a project. */
export interface ProjectName {
  readonly project: string;
  readonly key: string;
}

/** Rows to write, applied in this order. Records that are gone are left out. */
export interface ConceptUpdate {
  /** `null` removes the names and mentions of a record. */
  readonly names?: ReadonlyMap<number, RecordNames | null>;
  /** Of records that have names, even if none. */
  readonly mentions?: ReadonlyMap<number, readonly ConceptMention[]>;
  /** Texts were searched for these names; for `all` of them. */
  readonly searched?: readonly ProjectName[] | 'all';
  readonly progress?: ConceptProgress;
}

/** Where the text or the properties of a record name something: a mention, a tag or a phrase. */
export interface Naming {
  readonly record: number;
  readonly key: string;
  /** As written; `null` for a mention. */
  readonly text: string | null;
  readonly kind: 'mention' | 'tag' | 'phrase' | 'opening';
  /** Line of the first occurrence, from 1; `null` for a tag. */
  readonly line: number | null;
  /** How often the text mentions it; 1 unless it is a mention. */
  readonly count: number;
}

export interface NamingRequest {
  readonly project: string;
  /** Their records are counted, and their places read. */
  readonly keys: readonly string[];
  /** Other keys whose records are only counted. */
  readonly counted?: readonly string[];
  /** Places for each key at most; 0 unless given. */
  readonly limit?: number;
  /** Counts records up to this only. */
  readonly max?: number;
  /** Leaves out records of vaults and sources with these names. */
  readonly excludedSources?: readonly string[];
}

/** The records of a project that mention a key, or have it as a tag or phrase. */
export interface NamingsOfKey {
  /** How many there are. */
  readonly records: number;
  /** By record. */
  readonly places: readonly Naming[];
}

/** A name that more records than this mention joins nothing: it has no edges. */
export const MAX_MENTIONING_RECORDS = 100;
