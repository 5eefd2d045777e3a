import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Loci } from '../../../engine/open.ts';
import { onSignalTime } from '../../../search/retrieve/signals.ts';

/** Seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);
const LABELS = ['method', 'route', 'status'] as const;

/** Prometheus metrics. Their labels name routes, never a namespace, a subject or anything that was asked. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #running: Gauge;
  readonly #latency: Histogram<(typeof LABELS)[number]>;
  readonly #refused: Counter;
  readonly #store: Readonly<Record<'bytes' | 'records' | 'passages' | 'vectors' | 'pending', Gauge>>;

  readonly #deafen: () => void;

  constructor() {
    const registers = [this.#registry];
    const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers });
    this.#latency = new Histogram({
      name: 'loci_http_request_duration_seconds',
      help: 'How long requests took, and with its count how many there were.',
      labelNames: LABELS,
      buckets: BUCKETS,
      registers,
    });
    this.#running = gauge('loci_http_requests_running', 'Requests that are being answered.');
    this.#refused = new Counter({
      name: 'loci_http_broken_requests_total',
      help: 'Connections that brought no HTTP request that could be read.',
      registers,
    });
    this.#store = {
      bytes: gauge('loci_store_bytes', 'Size of the store on the disk, journals included.'),
      records: gauge('loci_store_records', 'Records that are not deleted, of everybody together.'),
      passages: gauge('loci_store_passages', 'Passages, of everybody together.'),
      vectors: gauge('loci_store_vectors', 'Embeddings, of everybody together.'),
      pending: gauge('loci_embeddings_pending', 'Texts that wait to be embedded.'),
    };
    const signals = new Histogram({
      name: 'loci_search_signal_duration_seconds',
      help: 'How long each signal of a search took to answer.',
      labelNames: ['signal'],
      buckets: BUCKETS,
      registers,
    });
    this.#deafen = onSignalTime(({ signal, milliseconds }) => {
      signals.observe({ signal }, milliseconds / 1000);
    });
    this.#registry.registerMetric(processMemory());
    this.#registry.registerMetric(processTime());
  }

  get type(): string {
    return this.#registry.contentType;
  }

  /** Searches are counted no more. */
  close(): void {
    this.#deafen();
  }

  begin(): void {
    this.#running.inc();
  }

  end(method: string, route: string, status: number, seconds: number): void {
    this.#running.dec();
    this.#latency.observe({ method: METHODS.has(method) ? method : 'other', route, status }, seconds);
  }

  broken(): void {
    this.#refused.inc();
  }

  /** In the text format of Prometheus; without what the store tells where it cannot be asked. */
  async text(loci: Promise<Loci>): Promise<string> {
    const totals = await loci.then((opened) => opened.totals()).catch(() => null);
    if (totals !== null) {
      for (const what of ['bytes', 'records', 'passages', 'vectors', 'pending'] as const)
        this.#store[what].set(totals[what]);
    }
    return this.#registry.metrics();
  }
}

function processMemory(): Gauge {
  return new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of the process.',
    registers: [],
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
}

function processTime(): Counter {
  return new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the process, all of its threads.',
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}
