import { type DestinationStream, type Logger, pino } from 'pino';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Config } from '../../config/schema.ts';
import { onSignalTime } from '../../search/retrieve/signals.ts';
import type { EngineContext } from '../../engine/context.ts';
import type { SlowStatement, StoreActivity } from '../../store/sql/calls/activity.ts';
import { messageOf } from '../../core/errors.ts';

const STDERR_FD = 2;

/** A log of JSON lines, by default on standard error. For a request, it contains only the fields of `RequestLine`. */
export function openLog(level: Config['log']['level'], destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination ?? pino.destination({ fd: STDERR_FD, sync: true }));
}

/** The log entry of a request: never a body, a query, the value of a header, a token or a subject. */
interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  /** The path of the route, not that of the request. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  /** A code of the error table. */
  readonly code?: string;
}

/** Only errors of the server are logged as errors; rejected requests are `info`. */
export function logRequest(log: Logger, line: RequestLine): void {
  if (line.status >= 500) log.error(line, 'request');
  else log.info(line, 'request');
}

/** Statements of the database that took longer than `store.slowStatement`. */
export function logSlowStatement(log: Logger, { call, namespaceId, milliseconds }: SlowStatement): void {
  log.warn({ call, namespace_id: namespaceId, ms: milliseconds }, 'slow statement');
}

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);
const LABELS = ['method', 'route', 'status'] as const;

/** Prometheus metrics. Their labels never contain a namespace, a subject or a part of a query. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #running: Gauge;
  readonly #latency: Histogram<(typeof LABELS)[number]>;
  readonly #invalidRequests: Counter;
  readonly #store: Readonly<Record<'bytes' | 'records' | 'passages' | 'vectors' | 'pending', Gauge>>;

  #activity: Activity | null = null;
  readonly #stopListening: () => void;

  constructor() {
    const registers = [this.#registry];
    const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers });
    this.#latency = new Histogram({
      name: 'loci_http_request_duration_seconds',
      help: 'Duration of requests.',
      labelNames: LABELS,
      buckets: BUCKETS_SECONDS,
      registers,
    });
    this.#running = gauge('loci_http_requests_running', 'Requests in progress.');
    this.#invalidRequests = new Counter({
      name: 'loci_http_broken_requests_total',
      help: 'Connections without a valid HTTP request.',
      registers,
    });
    this.#store = {
      bytes: gauge('loci_store_bytes', 'Size of the store on disk, including journals.'),
      records: gauge('loci_store_records', 'Records of all namespaces, without deleted ones.'),
      passages: gauge('loci_store_passages', 'Passages of all namespaces.'),
      vectors: gauge('loci_store_vectors', 'Embeddings of all namespaces.'),
      pending: gauge('loci_embeddings_pending', 'Texts that are not embedded yet.'),
    };
    const signals = new Histogram({
      name: 'loci_search_signal_duration_seconds',
      help: 'Duration of each signal of a search.',
      labelNames: ['signal'],
      buckets: BUCKETS_SECONDS,
      registers,
    });
    this.#stopListening = onSignalTime(({ signal, milliseconds }) => {
      signals.observe({ signal }, milliseconds / 1000);
    });
    this.#registry.registerMetric(processMemory());
    this.#registry.registerMetric(processTime());
  }

  get type(): string {
    return this.#registry.contentType;
  }

  /** Stops counting searches. */
  close(): void {
    this.#stopListening();
  }

  begin(): void {
    this.#running.inc();
  }

  end(method: string, route: string, status: number, seconds: number): void {
    this.#running.dec();
    this.#latency.observe({ method: METHODS.has(method) ? method : 'other', route, status }, seconds);
  }

  countInvalidRequest(): void {
    this.#invalidRequests.inc();
  }

  /** The metrics in the text format of Prometheus. It has no metrics of the store if the store cannot be read. */
  async text(loci: Promise<EngineContext>): Promise<string> {
    const { totals: readTotals } = await import('../../engine/health/status.ts');
    const totals = await loci.then(readTotals).catch(() => null);
    const store = await loci.then((context) => context.store).catch(() => null);
    const activity = store?.activity?.();
    if (activity !== undefined) (this.#activity ??= new Activity([this.#registry], activity)).set(activity);
    if (totals !== null) {
      for (const name of ['bytes', 'records', 'passages', 'vectors', 'pending'] as const)
        this.#store[name].set(totals[name]);
    }
    return this.#registry.metrics();
  }
}

/** Metrics of the connections to a database server, which a store in a file does not have. */
class Activity {
  readonly #inUse: Gauge<'use'>;
  readonly #waiting: Gauge<'use'>;
  readonly #idle: Gauge;
  readonly #waitingWrites: Gauge;
  /** Only where there is a replica. */
  readonly #replica: Gauge | null;
  readonly #totals: Readonly<Record<'lockWaits' | 'lockWaitSeconds' | 'slowStatements', Counter>>;

  constructor(registers: Registry[], { isReplicaReachable }: StoreActivity) {
    const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> =>
      new Gauge({ name: `loci_store_${name}`, help, labelNames, registers });
    const counter = (name: string, help: string): Counter =>
      new Counter({ name: `loci_store_${name}`, help, registers });
    this.#inUse = gauge('connections_in_use', 'Connections that run calls, for reads and for writes.', 'use');
    this.#waiting = gauge('connections_waiting', 'Calls that wait for a connection.', 'use');
    this.#idle = gauge('connections_idle', 'Open connections without work.');
    this.#waitingWrites = gauge('writes_waiting', 'Writes that wait for others of their namespace.');
    const help = 'Whether reads go to the replica.';
    this.#replica = isReplicaReachable === null ? null : gauge('replica_up', help);
    this.#totals = {
      lockWaits: counter('lock_waits_total', 'Writes that waited for a transaction of another process.'),
      lockWaitSeconds: counter('lock_wait_seconds_total', 'How long they waited.'),
      slowStatements: counter(
        'slow_statements_total',
        'Statements that took longer than store.slowStatement.',
      ),
    };
  }

  set(activity: StoreActivity): void {
    for (const use of ['read', 'write'] as const) {
      const { inUse, waiting } = activity.connections[use];
      this.#inUse.set({ use }, inUse);
      this.#waiting.set({ use }, waiting);
    }
    this.#idle.set(activity.idleConnections);
    this.#waitingWrites.set(activity.waitingWrites);
    this.#replica?.set(activity.isReplicaReachable === true ? 1 : 0);
    const { lockWaits, lockWaitMs, slowStatements } = activity;
    const totals = { lockWaits, lockWaitSeconds: lockWaitMs / 1000, slowStatements };
    for (const name of ['lockWaits', 'lockWaitSeconds', 'slowStatements'] as const) {
      this.#totals[name].reset();
      this.#totals[name].inc(totals[name]);
    }
  }
}

function processMemory(): Gauge {
  return new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process.',
    registers: [],
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
}

function processTime(): Counter {
  return new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of all threads of the process.',
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}

/** Checks are cached so that frequent requests cost nothing. */
const CACHE_TTL_MS = 2000;

/** Checks whether the server can answer requests. */
export class Readiness {
  readonly #loci: () => Promise<EngineContext>;
  #draining = false;
  #last: { readonly until: number; readonly answer: Promise<string | null> } | null = null;

  constructor(loci: () => Promise<EngineContext>) {
    this.#loci = loci;
  }

  /** Reports not ready from now on, because the server is stopping. */
  drain(): void {
    this.#draining = true;
  }

  /** Why the store or the model cannot answer; `null` if they can. */
  problem(): Promise<string | null> {
    if (this.#draining) return Promise.resolve('the server is stopping');
    const now = performance.now();
    if (this.#last === null || now >= this.#last.until)
      this.#last = { until: now + CACHE_TTL_MS, answer: this.#check() };
    return this.#last.answer;
  }

  async #check(): Promise<string | null> {
    try {
      const { assertReady } = await import('../../engine/health/doctor.ts');
      await assertReady(await this.#loci());
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }
}
