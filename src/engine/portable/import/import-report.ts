import type { LociError } from '../../../core/errors.ts';
import { NO_REFUSALS, type RefusalReport } from '../../embedding/refusal-report.ts';
import type { CountName } from '../items/header.ts';

/** The number of records, or of startup entries, by the outcome of their import. */
interface ImportCounts {
  added: number;
  updated: number;
  /** The store already had the same state. */
  unchanged: number;
  /** The store has a different state, which was not replaced; `conflicts` names it. */
  kept: number;
  /** Deleted from the store because the source no longer has them. */
  removed: number;
  expired: number;
  /** Not imported; `problems` says why. */
  refused: number;
}

/** A message, and the line, file or record that it is about. */
export interface ImportRemark {
  readonly location: string;
  readonly message: string;
}

interface ImportChange {
  readonly location: string;
  readonly change: 'added' | 'updated' | 'removed';
  readonly title: string;
}

interface Renumbered {
  readonly uuid: string;
  readonly from: number;
  readonly to: number;
}

const MAX_REMARKS_PER_LIST = 1000;

/** What an import did, or in a dry run would do. */
export class ImportReport {
  readonly records: ImportCounts = noCounts();
  readonly startup: ImportCounts = noCounts();
  /** Changes of concepts, labels, golden queries, audit entries and runs that the store did not have before. */
  readonly auxiliary: Record<Exclude<CountName, 'records' | 'startup'>, number> = {
    concept_change: 0,
    labels: 0,
    golden_queries: 0,
    audit: 0,
    history: 0,
  };
  readonly renumbered: Renumbered[] = [];
  /** Only in a dry run. */
  readonly changes: ImportChange[] = [];
  readonly conflicts: ImportRemark[] = [];
  readonly problems: ImportRemark[] = [];
  /** How many remarks the lists above omit. */
  omitted = 0;
  /** Kinds of secrets that were masked. */
  readonly masked: Set<string> = new Set<string>();
  /** The masked kinds by line or file. */
  readonly maskedIn: Map<string, Set<string>> = new Map<string, Set<string>>();
  /** Number of texts that were embedded. */
  embedded = 0;
  /** Texts that the embedding provider refused. */
  refusals: RefusalReport = NO_REFUSALS;
  /** Why other texts were not embedded; `null` when all were. */
  why: string | null = null;

  addConflict(location: string, message: string): void {
    this.#add(this.conflicts, { location, message });
  }

  addProblem(location: string, message: string): void {
    this.#add(this.problems, { location, message });
  }

  addChange(change: ImportChange): void {
    this.#add(this.changes, change);
  }

  addRenumbered(renumbered: Renumbered): void {
    this.#add(this.renumbered, renumbered);
  }

  addMasked(location: string, kinds: readonly string[]): void {
    if (kinds.length === 0) return;
    const earlier = this.maskedIn.get(location);
    if (earlier === undefined && this.maskedIn.size === MAX_REMARKS_PER_LIST) this.omitted++;
    else this.maskedIn.set(location, new Set([...(earlier ?? []), ...kinds]));
    for (const kind of kinds) this.masked.add(kind);
  }

  addRefused(counts: ImportCounts, location: string, error: LociError): void {
    counts.refused++;
    this.addProblem(location, error.message);
  }

  #add<Remark>(list: Remark[], remark: Remark): void {
    if (list.length < MAX_REMARKS_PER_LIST) list.push(remark);
    else this.omitted++;
  }
}

function noCounts(): ImportCounts {
  return { added: 0, updated: 0, unchanged: 0, kept: 0, removed: 0, expired: 0, refused: 0 };
}
