import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A span as a provider of OpenTelemetry gets it. */
export interface RecordedSpan {
  readonly name: string;
  readonly kind: number;
  /** The name of the span that it is a part of; `null` for none. */
  readonly parent: string | null;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly failed: boolean;
}

/** A host program that registers a provider before it starts Loci. */
const HOST = `
import { AsyncLocalStorage } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { context, ROOT_CONTEXT, SpanStatusCode, trace } from ${JSON.stringify(import.meta.resolve('@opentelemetry/api'))};
const contexts = new AsyncLocalStorage();
context.setGlobalContextManager({
  active: () => contexts.getStore() ?? ROOT_CONTEXT,
  with: (active, work, thisArg, ...given) => contexts.run(active, () => work.apply(thisArg, given)),
  bind: (active, target) => target,
  enable() { return this; },
  disable() { return this; },
});
const spans = [];
const startSpan = (name, { kind, attributes }, active = context.active()) => {
  const span = { name, kind, parent: trace.getSpan(active)?.name ?? null, attributes: { ...attributes }, failed: false };
  return Object.assign(Object.create({
    setAttribute(key, value) { span.attributes[key] = value; return this; },
    setStatus({ code }) { span.failed = code === SpanStatusCode.ERROR; return this; },
    end() { spans.push(span); },
  }), { name });
};
trace.setGlobalTracerProvider({
  getTracer: () => ({
    startSpan,
    startActiveSpan: (name, options, work) => {
      const span = startSpan(name, options);
      return context.with(trace.setSpan(context.active(), span), work, undefined, span);
    },
  }),
});
process.on('exit', () => writeFileSync(process.env.SPANS, JSON.stringify(spans)));
`;

/** Runs a command in a process with a provider. Returns the spans that ended, the first one first. */
export async function recordSpans(
  main: string,
  home: string,
  command: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<RecordedSpan[]> {
  const [host, file] = [join(home, 'host.mjs'), join(home, 'spans.json')];
  writeFileSync(host, HOST);
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const all = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    LOCI_HOME: home,
    LOCI_EMBEDDING_PROVIDER: 'none',
    SPANS: file,
    ...env,
  };
  await promisify(execFile)(process.execPath, ['--import', host, main, ...command], { env: all }).catch(
    () => undefined,
  );
  return JSON.parse(readFileSync(file, 'utf8')) as RecordedSpan[];
}
