import type { LociError } from '../../core/errors.ts';

/** What came of records, or of startup entries. */
export interface ImportCounts {
  added: number;
  updated: number;
  /** They were here as they are. */
  unchanged: number;
  /** Something else is here, and stays: `conflicts` says what. */
  kept: number;
  /** Gone from where they came from, and so deleted here. */
  removed: number;
  /** Their time is over. */
  expired: number;
  /** Not taken in: `problems` says why. */
  refused: number;
}

/** Something to be told, and what of the import it is about: a line, a file. */
export interface ImportRemark {
  readonly where: string;
  readonly what: string;
}

/** What is, or would be, done with one thing. */
export interface ImportChange {
  readonly where: string;
  readonly change: 'added' | 'updated' | 'removed';
  readonly title: string;
}

export interface Renumbered {
  readonly uuid: string;
  readonly from: number;
  readonly to: number;
}

/** At most so many of a kind are told one by one. */
const TOLD = 1000;

/** What an import did, or would do. */
export class ImportReport {
  readonly records: ImportCounts = noCounts();
  readonly startup: ImportCounts = noCounts();
  /** Entries of the audit log, and runs, that are new here. */
  readonly auxiliary: { audit: number; history: number } = { audit: 0, history: 0 };
  /** Where records got another number; the first of them. */
  readonly renumbered: Renumbered[] = [];
  /** Of a dry run: what would be done. */
  readonly changes: ImportChange[] = [];
  readonly conflicts: ImportRemark[] = [];
  readonly problems: ImportRemark[] = [];
  /** How many were left out of the lists above. */
  untold = 0;
  /** Kinds of secrets that were masked. */
  readonly masked: Set<string> = new Set<string>();
  /** The same by where they stand; the first of them. */
  readonly maskedIn: Map<string, Set<string>> = new Map<string, Set<string>>();
  /** Texts that were embedded. */
  embedded = 0;
  /** What kept the rest from being embedded. */
  why: string | null = null;

  conflict(where: string, what: string): void {
    this.#tell(this.conflicts, { where, what });
  }

  problem(where: string, what: string): void {
    this.#tell(this.problems, { where, what });
  }

  change(change: ImportChange): void {
    this.#tell(this.changes, change);
  }

  number(renumbered: Renumbered): void {
    this.#tell(this.renumbered, renumbered);
  }

  mask(where: string, kinds: readonly string[]): void {
    if (kinds.length === 0) return;
    const known = this.maskedIn.get(where);
    if (known === undefined && this.maskedIn.size === TOLD) this.untold++;
    else this.maskedIn.set(where, new Set([...(known ?? []), ...kinds]));
    for (const kind of kinds) this.masked.add(kind);
  }

  refuse(counts: ImportCounts, where: string, error: LociError): void {
    counts.refused++;
    this.problem(where, error.message);
  }

  #tell<Remark>(list: Remark[], remark: Remark): void {
    if (list.length < TOLD) list.push(remark);
    else this.untold++;
  }
}

function noCounts(): ImportCounts {
  return { added: 0, updated: 0, unchanged: 0, kept: 0, removed: 0, expired: 0, refused: 0 };
}
