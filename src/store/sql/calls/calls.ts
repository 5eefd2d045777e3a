import type { AsyncSlices } from '../../../core/threads/slices.ts';
import { Deadline } from '../../../core/time/deadline.ts';
import type { NamingsOfKey } from '../../concept-model.ts';
import type { Contribution, GraphState } from '../../graph-model.ts';
import { ADMIN_NAMESPACE } from '../../rules/admin-namespace.ts';
import { assertVectorDimensions } from '../../rules/validation.ts';
import type { RetrievalRequest, TermInfo } from '../../search-model.ts';
import type { StoreAdmin, StoreGraph, StoreRecords, StoreSearch, StoreVectors } from '../../store.ts';
import { allNames, linePlaces, namings, recordConcepts, someNames } from '../graph/concepts.ts';
import { neighbours } from '../graph/neighbours.ts';
import { contributions, counts, edges, graphState, nodes } from '../graph/read.ts';
import type { Driver } from '../driver.ts';
import { NO_AUDIT, readAudit } from '../admin/audit.ts';
import { lease } from '../admin/leases.ts';
import { readItems } from '../item.ts';
import { compact, resetDerived, stats, writtenNamespaces } from '../admin/maintenance.ts';
import { verifyNamespace, verifyStorage } from '../admin/verify.ts';
import { changes } from '../write/changes.ts';
import { commit, purge } from '../write/commit.ts';
import { assertQueryVectors, generationById, generations, setGeneration } from '../generations.ts';
import { countRecords, facet, listRecords, sourceEntries } from '../read/listing.ts';
import { passagesOf, readPassages } from '../read/passages.ts';
import { bounds, findExisting, recordsInState } from '../read/records.ts';
import { belongsTo, links, namedRecords } from '../read/relations.ts';
import { retrieve } from '../read/retrieve.ts';
import { timeline } from '../read/timeline.ts';
import { pendingEmbeddings, similarRecords } from '../read/vectors.ts';
import {
  NO_PASSAGES,
  packRetrieval,
  type PackedPassages,
  type PackedRetrieval,
  type PassageRequest,
} from '../read/wire.ts';
import { lockNamespace } from '../namespace.ts';
import { findNamespace, type Sql } from '../sql.ts';

type Pausing<Role> = {
  [Name in keyof Role]: Role[Name] extends (...parameters: infer Parameters) => Promise<infer Result>
    ? (...parameters: Parameters) => Result | Promise<Result> | AsyncSlices<Result>
    : never;
};

/** The calls of the store interface on a connection. Those that may read much pause after each part. */
export interface StoreCalls {
  readonly records: Pausing<StoreRecords>;
  readonly search: Pausing<Pick<StoreSearch, 'terms' | 'similar' | 'named'>> & {
    readonly retrieve: (namespace: string, request: RetrievalRequest) => Promise<PackedRetrieval>;
    /** Reads the passages that the caller's cache does not have. `PassageCache` implements `passages` with it. */
    readonly readPassages: (namespace: string, request: PassageRequest) => Promise<PackedPassages>;
  };
  readonly vectors: Pausing<StoreVectors>;
  readonly graph: Pausing<StoreGraph>;
  readonly admin: Pausing<StoreAdmin>;
}

export type StoreRole = keyof StoreCalls;
/** The name of a call, such as `records.commit`. */
export type StoreCall = { [Role in StoreRole]: `${Role}.${keyof StoreCalls[Role] & string}` }[StoreRole];

export function storeCalls(driver: Driver): StoreCalls {
  const reader = new Reader(driver.sql);
  return {
    records: recordCalls(driver, reader),
    search: searchCalls(driver, reader),
    vectors: vectorCalls(driver, reader),
    graph: graphCalls(reader),
    admin: adminCalls(driver, reader),
  };
}

/** Reads of namespaces. They return `empty` for a namespace that does not exist. */
class Reader {
  readonly sql: Sql;

  constructor(sql: Sql) {
    this.sql = sql;
  }

  /** Reads with one statement. */
  async one<Result>(
    namespace: string,
    empty: Result,
    work: (ns: number) => Promise<Result>,
  ): Promise<Result> {
    const ns = await findNamespace(this.sql, namespace);
    return ns === null ? empty : work(ns);
  }

  /** Reads with several statements that see the same state. */
  async snapshot<Result>(
    namespace: string,
    empty: Result,
    work: (ns: number) => Result | Promise<Result>,
  ): Promise<Result> {
    return this.one(namespace, empty, (ns) => this.sql.snapshot(async () => work(ns)));
  }

  /** Reads with one statement a slice. */
  async *oneBySlice<Result>(
    namespace: string,
    empty: Result,
    work: (ns: number) => AsyncSlices<Result>,
  ): AsyncSlices<Result> {
    const ns = await findNamespace(this.sql, namespace);
    return ns === null ? empty : yield* work(ns);
  }

  /** Reads in slices, each of which sees a state of its own. */
  async *slices<Result>(
    namespace: string,
    empty: Result,
    work: (ns: number) => AsyncSlices<Result>,
  ): AsyncSlices<Result> {
    const ns = await findNamespace(this.sql, namespace);
    if (ns === null) return empty;
    const slices = work(ns);
    for (;;) {
      const { done, value } = await this.sql.snapshot(() => slices.next());
      if (done === true) return value;
      yield;
    }
  }
}

function recordCalls(driver: Driver, reader: Reader): StoreCalls['records'] {
  const { sql, storage } = driver;
  return {
    commit: async (namespace, batch) => {
      if (!('purge' in batch)) return commit(driver, namespace, batch);
      const purged = await purge(driver, namespace, batch);
      if (purged.length > 0) await storage.reclaim();
      return purged;
    },
    get: (namespace, ids, state) =>
      reader.one(namespace, [], (ns) => recordsInState(sql, namespace, ns, ids, state)),
    list: (namespace, selector, page) =>
      reader.one(namespace, [], (ns) => listRecords(sql, namespace, ns, selector, page)),
    count: (namespace, filter) => reader.one(namespace, 0, (ns) => countRecords(sql, ns, filter)),
    sourceEntries: (namespace, source, page) =>
      reader.one(namespace, [], (ns) => sourceEntries(sql, ns, source, page)),
    findExisting: (namespace, identities) => {
      const none = identities.map(() => ({ sameUuid: null, sameKey: null }));
      return reader.one(namespace, none, (ns) => findExisting(sql, ns, identities));
    },
    bounds: (namespace) => reader.one(namespace, NO_BOUNDS, (ns) => bounds(sql, ns)),
    facet: (namespace, field, filter, newestKeys) =>
      reader.one(namespace, [], (ns) => facet(sql, ns, field, filter, newestKeys)),
    links: (namespace, selector, page) => reader.one(namespace, [], (ns) => links(sql, ns, selector, page)),
    belongsTo: (namespace, selector) => reader.one(namespace, [], (ns) => belongsTo(sql, ns, selector)),
    changes: (namespace, page) =>
      reader.snapshot(namespace, { changes: [], mustRestart: page.after !== null && page.after > 0 }, (ns) =>
        changes(sql, ns, page),
      ),
    passagesOf: (namespace, ids) =>
      reader.one(namespace, new Map(ids.map((id) => [id, []])), (ns) => passagesOf(sql, ns, ids)),
    timeline: (namespace, request) =>
      reader.slices(namespace, { anchor: null, before: [], after: [] }, (ns) =>
        timeline(sql, namespace, ns, request),
      ),
    items: (namespace, selector, page) => readItems(sql, namespace, selector, page),
  };
}

function searchCalls(driver: Driver, reader: Reader): StoreCalls['search'] {
  const { sql } = driver;
  return {
    terms: (namespace, words, budgetMs, languages = []) => {
      const terms = words.map((word): TermInfo => ({ word, passages: 0, near: [] }));
      const deadline = new Deadline(budgetMs);
      return reader.snapshot(namespace, { terms, languages: [] }, (ns) =>
        driver.text.terms(ns, words, languages, deadline),
      );
    },
    retrieve: async (namespace, request) => {
      const { queries, cosines } = request;
      const vectors = queries.flatMap((query) => (query.by === 'vector' ? [query.vector] : []));
      await assertQueryVectors(sql, cosines === undefined ? vectors : [...vectors, cosines]);
      const lists = request.queries.map(() => ({
        scores: [],
        overQuota: [],
        milliseconds: 0,
        isPartial: false,
      }));
      const none = packRetrieval({ lists, cosines: [], compared: new Map() }, NO_PASSAGES);
      return reader.snapshot(namespace, none, (ns) => retrieve(driver, ns, request));
    },
    similar: async (namespace, generation, records, options) => {
      const { id } = await generationById(sql, generation);
      return reader.snapshot(namespace, new Map(), (ns) => similarRecords(driver, ns, id, records, options));
    },
    named: (namespace, names) => reader.one(namespace, [], (ns) => namedRecords(sql, ns, names)),
    readPassages: (namespace, request) =>
      reader.snapshot(namespace, NO_PASSAGES, (ns) => readPassages(sql, ns, request)),
  };
}

function vectorCalls({ sql, text, vectors: index }: Driver, reader: Reader): StoreCalls['vectors'] {
  return {
    generations: () => generations(sql),
    setGeneration: (_namespace, change) => setGeneration(sql, index, change),
    pending: (namespace, generation, request) =>
      reader.snapshot(namespace, { passages: [], texts: 0, bytes: 0 }, (ns) =>
        pendingEmbeddings(sql, ns, generation, request),
      ),
    put: (namespace, generation, vectors, sentences = new Map()) =>
      sql.transaction(async () => {
        // Within the transaction, because another process may remove the generation.
        const found = await generationById(sql, generation);
        for (const vector of [...vectors.map((each) => each.vector), ...[...sentences.values()].flat()])
          assertVectorDimensions(found, vector);
        const ns =
          vectors.length > 0
            ? (await lockNamespace(sql, text, namespace)).id
            : await findNamespace(sql, namespace);
        if (ns === null) return;
        if (vectors.length > 0) await index.put(ns, generation, vectors);
        if (sentences.size > 0) await index.putSentences(ns, generation, sentences);
      }),
    sentences: async (namespace, generation, hashes) => {
      const { dimensions } = await generationById(sql, generation);
      return reader.one(namespace, new Map(), (ns) => index.sentences(ns, generation, dimensions, hashes));
    },
  };
}

const NO_GRAPH: GraphState = {
  ...{ upTo: 0, similarUpTo: 0, rules: '', conceptsUpTo: 0, conceptRules: '' },
  ...{ lastChange: 0, stale: 0, changedNames: 0, conceptChanges: 0 },
  waiting: { records: [], names: [] },
};

function graphCalls(reader: Reader): StoreCalls['graph'] {
  const { sql } = reader;
  return {
    state: (namespace, waiting = 0) => reader.one(namespace, NO_GRAPH, (ns) => graphState(sql, ns, waiting)),
    nodes: (namespace, selector, filter = {}) =>
      reader.one(namespace, [], (ns) => nodes(sql, ns, selector, filter)),
    edges: (namespace, filter, page) => reader.one(namespace, [], (ns) => edges(sql, ns, filter, page)),
    neighbours: (namespace, request) => {
      const none = { out: [], in: [], nodes: [], degrees: [], tags: [] };
      return reader.one(namespace, none, (ns) => neighbours(sql, ns, request));
    },
    counts: (namespace, filter) =>
      reader.snapshot(namespace, { nodes: [], edges: [], tags: [] }, (ns) => counts(sql, ns, filter)),
    contributions: (namespace, lane, records) => {
      const none = new Map<number, Contribution>(
        records.map((record) => [record, { nodes: [], edges: [], isSharing: false }]),
      );
      return reader.snapshot(namespace, none, (ns) => contributions(sql, ns, lane, records));
    },
    conceptNames: (namespace, selector) =>
      selector.only === undefined
        ? reader.slices(namespace, [], (ns) => allNames(sql, ns, selector))
        : reader.one(namespace, [], (ns) => someNames(sql, ns, selector)),
    recordConcepts: (namespace, records) =>
      reader.one(namespace, new Map(), (ns) => recordConcepts(sql, ns, records)),
    namings: (namespace, request) => {
      const none = new Map<string, NamingsOfKey>(
        request.keys.map((key) => [key, { records: 0, places: [] }]),
      );
      return reader.oneBySlice(namespace, none, (ns) => namings(sql, ns, request));
    },
    linePlaces: (namespace, lines) => reader.one(namespace, [], (ns) => linePlaces(sql, ns, lines)),
  };
}

/** The bounds of a namespace without records. */
const NO_BOUNDS = {
  highestId: 0,
  nextExpiry: null,
  oldestDeletion: null,
  nextHistoryExpiry: null,
  lastChange: 0,
  belongsTo: { upTo: 0, excludedSources: [], pass: null },
};

function adminCalls(driver: Driver, reader: Reader): StoreCalls['admin'] {
  const { sql } = driver;
  return {
    namespaces: () => writtenNamespaces(sql),
    stats: () => stats(driver),
    verify: (namespace) =>
      namespace === ADMIN_NAMESPACE
        ? verifyStorage(driver)
        : reader.snapshot(namespace, [], (ns) => verifyNamespace(driver, ns)),
    compact: async (namespace) => {
      const ns = await findNamespace(sql, namespace);
      if (ns !== null) await compact(driver, ns);
    },
    resetDerived: async (namespace, options) => {
      const ns = await findNamespace(sql, namespace);
      if (ns !== null) await resetDerived(driver, ns, options);
    },
    audit: (namespace, request) => reader.snapshot(namespace, NO_AUDIT, (ns) => readAudit(sql, ns, request)),
    lease: (namespace, operation) => lease(sql, namespace, operation),
  };
}
