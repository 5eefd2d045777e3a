import type { AsyncSlices } from '../../../core/threads/slices.ts';
import { Deadline } from '../../../core/time/deadline.ts';
import type { GraphState } from '../../graph-model.ts';
import { ADMIN_NAMESPACE } from '../../rules/admin-namespace.ts';
import { assertVectorDimensions } from '../../rules/validation.ts';
import type { RetrievalRequest, TermInfo } from '../../search-model.ts';
import type { StoreAdmin, StoreGraph, StoreRecords, StoreSearch, StoreVectors } from '../../store.ts';
import { allNames, linePlaces, namings, recordConcepts, someNames } from '../graph/concepts.ts';
import { neighbours } from '../graph/neighbours.ts';
import { contributions, counts, edges, graphState, nodes, outline } from '../graph/read.ts';
import type { Driver } from '../driver.ts';
import { NO_AUDIT, readAudit } from '../admin/audit.ts';
import { lease } from '../admin/leases.ts';
import { readItems } from '../item.ts';
import { compact, resetDerived, type ResetOptions, stats, writtenNamespaces } from '../admin/maintenance.ts';
import { verifyNamespace, verifyStorage } from '../admin/verify.ts';
import { changes } from '../write/changes.ts';
import { commit, purge } from '../write/commit.ts';
import { assertQueryVectors, generationById, generations, setGeneration } from '../generations.ts';
import { countRecords, facet, facets, listRecords, sourceEntries } from '../read/listing.ts';
import { passagesOf, readPassages } from '../read/passages.ts';
import { bounds, findExisting, recordsInState } from '../read/records.ts';
import { belongsTo, links, namedRecords } from '../read/relations.ts';
import { retrieve, vectorsOf } from '../read/retrieve.ts';
import { histogram, table } from '../read/table.ts';
import { timeline } from '../read/timeline.ts';
import { pendingEmbeddings, similarRecords, vectorsOfPassages } from '../read/vectors.ts';
import {
  NO_COMPARISON,
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

/** The answer for a namespace that does not exist. */
type Empty<Parameters extends unknown[], Result> = Result | ((...parameters: Parameters) => Result);
type Work<Parameters extends unknown[], Answer> = (sql: Sql, ns: number, ...parameters: Parameters) => Answer;

function answerOf<Parameters extends unknown[], Result>(
  empty: Empty<Parameters, Result>,
  parameters: Parameters,
): Result {
  return typeof empty === 'function'
    ? (empty as (...parameters: Parameters) => Result)(...parameters)
    : empty;
}

/** Makes calls of functions that read a namespace. */
class Reader {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Reads with one statement. */
  one<Parameters extends unknown[], Result>(
    empty: Empty<NoInfer<Parameters>, NoInfer<Result>>,
    work: Work<Parameters, Promise<Result>>,
  ) {
    return async (namespace: string, ...parameters: Parameters): Promise<Result> => {
      const ns = await findNamespace(this.#sql, namespace);
      return ns === null ? answerOf(empty, parameters) : work(this.#sql, ns, ...parameters);
    };
  }

  /** Reads with several statements that see the same state. */
  snapshot<Parameters extends unknown[], Result>(
    empty: Empty<NoInfer<Parameters>, NoInfer<Result>>,
    work: Work<Parameters, Promise<Result>>,
  ) {
    return this.one<Parameters, Result>(empty, (sql, ns, ...parameters) =>
      sql.snapshot(() => work(sql, ns, ...parameters)),
    );
  }

  /** Reads in slices, each of which sees a state of its own; with one statement each, it needs no transaction for that. */
  slices<Parameters extends unknown[], Result>(
    empty: Empty<NoInfer<Parameters>, NoInfer<Result>>,
    work: Work<Parameters, AsyncSlices<Result>>,
    statements: 'one' | 'several' = 'several',
  ) {
    const sql = this.#sql;
    return async function* (namespace: string, ...parameters: Parameters): AsyncSlices<Result> {
      const ns = await findNamespace(sql, namespace);
      if (ns === null) return answerOf(empty, parameters);
      const slices = work(sql, ns, ...parameters);
      for (;;) {
        const next = statements === 'one' ? slices.next() : sql.snapshot(() => slices.next());
        const { done, value } = await next;
        if (done === true) return value;
        yield;
      }
    };
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
      reader.one([], (_, ns) => recordsInState(sql, namespace, ns, ids, state))(namespace),
    list: (namespace, selector, page) =>
      reader.one([], (_, ns) => listRecords(sql, namespace, ns, selector, page))(namespace),
    count: reader.one(0, countRecords),
    sourceEntries: reader.one([], sourceEntries),
    findExisting: reader.one(
      (identities) => identities.map(() => ({ sameUuid: null, sameKey: null })),
      findExisting,
    ),
    bounds: reader.one(NO_BOUNDS, bounds),
    facet: reader.one([], facet),
    facets: reader.one((fields, _) => fields.map(() => []), facets),
    links: reader.one([], links),
    belongsTo: reader.one([], belongsTo),
    changes: reader.snapshot(
      ({ after }) => ({ changes: [], mustRestart: after !== null && after > 0 }),
      changes,
    ),
    passagesOf: reader.one((ids) => new Map(ids.map((id) => [id, []])), passagesOf),
    timeline: (namespace, request) =>
      reader.slices({ anchor: null, before: [], after: [] }, (_, ns) =>
        timeline(sql, namespace, ns, request),
      )(namespace),
    table: (namespace, request, page) =>
      reader.one([], (_, ns) => table(sql, namespace, ns, request, page))(namespace),
    histogram: reader.one([], histogram),
    items: (namespace, selector, page) => readItems(sql, namespace, selector, page),
  };
}

function searchCalls(driver: Driver, reader: Reader): StoreCalls['search'] {
  const { sql, text } = driver;
  const none = ({ queries }: RetrievalRequest): PackedRetrieval => {
    const lists = queries.map(() => ({ scores: [], overQuota: [], milliseconds: 0, isPartial: false }));
    return packRetrieval({ lists, cosines: [], hasAllCosines: true, compared: NO_COMPARISON }, NO_PASSAGES);
  };
  const retrieveIn = reader.snapshot(none, (_, ns, request: RetrievalRequest) =>
    retrieve(driver, ns, request),
  );
  return {
    terms: (namespace, words, budgetMs, languages = []) => {
      const terms = words.map((word): TermInfo => ({ word, passages: 0, near: [] }));
      const deadline = new Deadline(budgetMs);
      return reader.snapshot({ terms, languages: [] }, (_, ns) => text.terms(ns, words, languages, deadline))(
        namespace,
      );
    },
    retrieve: async (namespace, request) => {
      // Of a namespace that does not exist as well.
      if ((await findNamespace(sql, namespace)) === null)
        await assertQueryVectors(sql, vectorsOf(request.queries, request.cosines));
      return retrieveIn(namespace, request);
    },
    similar: async (namespace, generation, records, options) => {
      const { id } = await generationById(sql, generation);
      return reader.snapshot(new Map(), (_, ns) => similarRecords(driver, ns, id, records, options))(
        namespace,
      );
    },
    named: reader.one([], namedRecords),
    readPassages: reader.snapshot(NO_PASSAGES, readPassages),
  };
}

function vectorCalls(driver: Driver, reader: Reader): StoreCalls['vectors'] {
  const { sql, text, vectors: index } = driver;
  return {
    generations: () => generations(sql),
    setGeneration: (_namespace, change) => setGeneration(sql, index, change),
    pending: reader.snapshot({ passages: [], texts: 0, bytes: 0 }, pendingEmbeddings),
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
    ofPassages: (namespace, generation, passages) =>
      reader.one(new Map(), (_, ns) => vectorsOfPassages(driver, ns, generation, passages))(namespace),
    sentences: async (namespace, generation, hashes) => {
      const { dimensions } = await generationById(sql, generation);
      return reader.one(new Map(), (_, ns) => index.sentences(ns, generation, dimensions, hashes))(namespace);
    },
    sentenceCosines: (namespace, query, passages, budgetMs) => {
      const deadline = new Deadline(budgetMs);
      const compare = async (_: Sql, ns: number): Promise<Map<number, number>> =>
        (await sql.within(deadline, () => index.sentenceCosines(ns, query, passages))) ?? new Map();
      return reader.snapshot(new Map(), compare)(namespace);
    },
  };
}

const NO_GRAPH: GraphState = {
  ...{ upTo: 0, similarUpTo: 0, rules: '', conceptsUpTo: 0, conceptRules: '' },
  ...{ lastChange: 0, stale: 0, changedNames: 0 },
  waiting: { records: [], names: [] },
};

function graphCalls(reader: Reader): StoreCalls['graph'] {
  const allConceptNames = reader.slices([], allNames);
  const someConceptNames = reader.one([], someNames);
  return {
    state: reader.one(NO_GRAPH, graphState),
    nodes: reader.one([], nodes),
    edges: reader.one([], edges),
    outline: reader.one({ nodes: [], edges: [] }, outline),
    neighbours: reader.one({ out: [], in: [], nodes: [], degrees: [], tags: [] }, neighbours),
    counts: reader.snapshot({ nodes: [], edges: [], tags: [] }, counts),
    contributions: reader.snapshot(
      (_, records) => new Map(records.map((record) => [record, { nodes: [], edges: [], isSharing: false }])),
      contributions,
    ),
    conceptNames: (namespace, selector) =>
      (typeof selector.only === 'object' ? someConceptNames : allConceptNames)(namespace, selector),
    recordConcepts: reader.one(new Map(), recordConcepts),
    namings: reader.slices(
      ({ keys }) => new Map(keys.map((key) => [key, { records: 0, places: [] }])),
      namings,
      'one',
    ),
    linePlaces: reader.one([], linePlaces),
  };
}

/** The bounds of a namespace without records. */
const NO_BOUNDS = {
  ...{ highestId: 0, nextExpiry: null, oldestDeletion: null, nextHistoryExpiry: null, lastChange: 0 },
  belongsTo: { upTo: 0, excludedSources: [], pass: null },
};

function adminCalls(driver: Driver, reader: Reader): StoreCalls['admin'] {
  const { sql } = driver;
  const verifyDerivedOf = reader.snapshot([], (_, ns) => verifyNamespace(driver, ns));
  return {
    namespaces: () => writtenNamespaces(sql),
    stats: () => stats(driver),
    verify: (namespace) =>
      namespace === ADMIN_NAMESPACE ? verifyStorage(driver) : verifyDerivedOf(namespace),
    compact: reader.one(undefined, (_, ns) => compact(driver, ns)),
    resetDerived: reader.one(undefined, (_, ns, options: ResetOptions) => resetDerived(driver, ns, options)),
    audit: reader.snapshot(NO_AUDIT, readAudit),
    lease: (namespace, operation) => lease(sql, namespace, operation),
  };
}
