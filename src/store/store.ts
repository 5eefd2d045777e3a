import type { StoreActivity } from './sql/calls/activity.ts';
import type { StoreCalls } from './sql/calls/calls.ts';

/**
 * Where records are kept. The interface is asynchronous and takes batches: a search stage makes one call, not one for
 * each row. It knows records, passages, namespaces, terms and vectors, but no SQL.
 */
export interface Store extends StoreCalls {
  readonly capabilities: StoreCapabilities;
  /** Only of a store on a server. */
  readonly activity?: () => StoreActivity;
  /** Finishes the running calls and releases files, threads and connections. Later calls fail with `store_failed`. */
  close(): Promise<void>;
}

export interface StoreCapabilities {
  /** The driver's name, for people to read; no code may depend on it. */
  readonly name: string;
  /** See `StoreLocation.name`. */
  readonly location: string;
  /** Whether each call takes a round trip over a network. */
  readonly isRemote: boolean;
  /** Whether it can only be read here; calls that write fail with `unreadable`. */
  readonly readOnly: boolean;
}

export interface OpenStoreOptions {
  /** Whether to create a store that does not exist; else `store_not_found`. */
  readonly create: boolean;
  /** Whether calls may block the caller, so that the store opens faster. Default false. */
  readonly inline?: boolean;
}

/** Where the settings keep a store. */
export interface StoreLocation {
  /** For people to read. It never has a password. */
  readonly name: string;
  /** The file of this machine that has the store; `null` for a store elsewhere. Further files have a name that begins so, then a hyphen. */
  readonly file: string | null;
  /** The folder of this machine for what Loci keeps beside the store. */
  readonly stateFolder: string;
  /** Equal for settings that name the same store. A store that was removed and made again is another; `null` if there is none. */
  identity(): Promise<string | null>;
}

/** A database of another program, of which all reads see one state. Nothing can be written to it. */
export interface ForeignDatabase {
  /** For people to read. It never has a password. */
  readonly name: string;
  /** The values of columns are texts, as the database writes them. @throws LociError */
  query(statement: string, values?: readonly unknown[]): Promise<ForeignRow[]>;
}

export type ForeignRow = Readonly<Record<string, string | null>>;
