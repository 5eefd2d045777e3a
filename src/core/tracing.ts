import type * as OpenTelemetry from '@opentelemetry/api';
import { LociError } from './errors.ts';

/** A part of the work of a process, by the conventions of OpenTelemetry. It never has texts of users. */
export interface SpanOptions {
  readonly name: string;
  /** Whether another system does the work, such as a database. */
  readonly kind: 'internal' | 'client';
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** Where all copies of the package `@opentelemetry/api` find what the host program has registered. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');
let api: Promise<typeof OpenTelemetry | null> | undefined;

/**
 * Runs work in a span, where the host program has registered a provider of OpenTelemetry and the package of its interface is found.
 * Spans that begin during the work are parts of this one.
 */
export async function inSpan<Result>(options: SpanOptions, work: () => Promise<Result>): Promise<Result> {
  if (!(REGISTERED in globalThis)) return work();
  api ??= import('@opentelemetry/api').catch(() => null);
  const loaded = await api;
  if (loaded === null) return work();
  const { trace, SpanKind, SpanStatusCode } = loaded;
  const { name, kind, attributes } = options;
  const spanKind = kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL;
  return trace
    .getTracer('loci-memory')
    .startActiveSpan(name, { kind: spanKind, attributes: { ...attributes } }, async (span) => {
      try {
        return await work();
      } catch (error) {
        // Its message may have a piece of what was asked for.
        span.setAttribute('error.type', error instanceof LociError ? error.code : '_OTHER');
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
}
