import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import type { Operation } from '../../../operations/operation.ts';
import type { CorpusOutput } from '../../../operations/nouns/facts.ts';
import type { Captured } from '../../../engine/capture/capture-message.ts';
import type { GetOutput } from '../../../engine/records/get.ts';
import { searchInAll, splitCitation } from '../../shared/several-namespaces.ts';
import { recordOperations } from '../../../operations/nouns/records.ts';
import { OPERATIONS } from '../../../operations/registry.ts';
import { runOperation } from '../../../operations/run.ts';
import { parseInput } from '../../../operations/shared/input.ts';
import { lenientInput } from '../../../operations/shared/lenient-input.ts';
import { emptyAnswer, recordExcerpt, type LociHit, searchAnswer, type SearchAnswer } from './answers.ts';
import { conversationsOf } from './conversations.ts';
import type { GatewayEngine } from './engine.ts';
import { requireReadable } from '../host/grant.ts';
import type { MemoryRead } from '../host/api.ts';
import type { Turn } from '../host/turn.ts';

/** The input of `memory_search`: that of memory-core, and filters. */
export const searchInput = z.strictObject({
  query: z.string().min(1).max(100_000).describe('The question, in plain words.'),
  maxResults: z.number().int().min(1).max(50).exactOptional().describe('How many results at most.'),
  minScore: z
    .number()
    .min(0)
    .max(1)
    .exactOptional()
    .describe('Leave out results whose probability of being right is lower.'),
  corpus: z
    .enum(['memory', 'all', 'sessions'])
    .exactOptional()
    .describe(
      '`memory`: what is remembered, the default. `sessions`: earlier conversations with the user. `all`: both.',
    ),
  from: z
    .string()
    .exactOptional()
    .describe('Only of this day, month or year, or later: 2026-09-14, yesterday, last week.'),
  until: z.string().exactOptional().describe('Only of this day, month or year, or earlier.'),
  tags: z.array(z.string()).exactOptional().describe('Only with all of these tags.'),
  sources: z.array(z.string()).exactOptional().describe('Only of these vaults or sources.'),
  project: z.string().exactOptional().describe('Only of this project.'),
});

export const getInput = z.strictObject({
  path: z.string().min(1).max(5000).describe('A `path` or `citation` of a search result.'),
  from: z.number().int().min(1).exactOptional().describe('The first line, from 1.'),
  lines: z.number().int().min(1).max(10_000).exactOptional().describe('How many lines.'),
  corpus: z.enum(['memory', 'all']).exactOptional().describe('Changes nothing: a path names its corpus.'),
});

/** A call of a tool. */
export interface Call {
  readonly turn: Turn;
  /** The key of its session. */
  readonly session?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Searches the namespaces that the turn may read, with the input of memory-core's tool. @throws LociError */
export async function searchMemory(engine: GatewayEngine, input: unknown, call: Call): Promise<SearchAnswer> {
  const { query, maxResults, minScore, corpus, ...filters } = parsed(searchInput, input);
  const { settings } = engine;
  const { turn } = call;
  const namespaces = await namespacesOf(engine, turn, corpus);
  if (namespaces.length === 0) return emptyAnswer();
  const own = requireReadable(engine.grant(turn));
  const conversations = conversationsOf(turn.agent);
  const leftOut = namespaces.includes(conversations) ? await engine.conversations.leftOutOf(turn) : null;
  const limit = maxResults ?? settings.maxResults;
  const request = parseInput(recordOperations.search, {
    query,
    limit: limit + (leftOut?.count ?? 0),
    related: Math.min(limit, MAX_RELATED),
    ...filters,
    ...(minScore !== undefined && { min_score: minScore }),
  });
  // With the same signal, the searches embed the query only once.
  const signal = call.signal ?? new AbortController().signal;
  const found = await searchInAll(
    namespaces,
    (namespace) => engine.contextOf(namespace, turn.agent, signal),
    request,
  );
  const outputs = found.map((each) => {
    if (each.namespace !== conversations || leftOut === null) return each;
    const results = each.output.results.filter(({ citation }) => !leftOut.has(citation));
    return { ...each, output: { ...each.output, results } };
  });
  const count = outputs.reduce((sum, { output }) => sum + output.results.length, 0);
  const hasFilter = Object.keys(filters).length > 0;
  const hasRuns = namespaces.includes(own) && !hasFilter && count < limit;
  const runs = hasRuns ? await runsAbout(engine, query, turn) : [];
  return searchAnswer(outputs, { own, conversations, limit, maxTokens: settings.maxTokens, runs });
}

/** The namespaces that a search with a corpus is about. @throws LociError `forbidden`, `invalid_input` */
async function namespacesOf(
  engine: GatewayEngine,
  turn: Turn,
  corpus: z.infer<typeof searchInput>['corpus'],
): Promise<readonly string[]> {
  const grant = engine.grant(turn);
  const memory = [requireReadable(grant), ...grant.shared];
  const { recall } = turn;
  if (recall === undefined && corpus === undefined) return engine.searched(turn);
  if (corpus === 'memory' && recall?.corpus !== 'sessions') return memory;
  const conversations = await engine.conversations.readableBy(turn);
  const readable = conversations === null ? [] : [conversations];
  if (recall?.corpus === 'sessions') return readable;
  if (corpus !== 'sessions') return [...memory, ...readable];
  if (conversations === null && recall === undefined)
    throw new LociError('invalid_input', 'conversations are not indexed, or not for this turn to read', {
      hint: 'Only the owner’s turns in private sessions read them. Search without `corpus`.',
    });
  return readable;
}

/** Runs of tools are appended only where there is room, because a question rarely asks what was done. */
const MAX_RUNS = 2;

async function runsAbout(
  engine: GatewayEngine,
  query: string,
  turn: Turn,
): Promise<CorpusOutput['documents']> {
  const input = { query: query.slice(0, 2000), limit: 50 };
  const { documents } = (await runRead(engine, 'corpus', input, { turn })) as CorpusOutput;
  return documents.filter(({ collection }) => collection !== 'facts').slice(0, MAX_RUNS);
}

const MAX_RELATED = 3;

/** An answer of `memory_search`. */
export interface ToolAnswer extends Omit<SearchAnswer, 'results'> {
  readonly results: readonly unknown[];
}

/** The answer of memory-core's tool has these fields of a hit; the others would only cost tokens. */
export function toolAnswer({ results, ...answer }: SearchAnswer): ToolAnswer {
  return { ...answer, results: results.map(toolHit) };
}

function toolHit({ provenance, ...hit }: LociHit): unknown {
  return { ...hit, provenance: { originClass: provenance.originClass } };
}

/** Reads a record or a part of it, with the input of memory-core's tool. @throws LociError, but not `not_found` */
export async function readMemory(
  engine: GatewayEngine,
  input: unknown,
  call: Call,
): Promise<MemoryRead & { readonly valid_until?: string }> {
  const { path, from, lines } = parsed(getInput, input);
  const grant = engine.grant(call.turn);
  const isOfSessions = path.startsWith(`${conversationsOf(call.turn.agent)}:`);
  const conversations = isOfSessions ? await engine.conversations.readableBy(call.turn) : null;
  const { namespace, citation } = splitCitation(path, requireReadable(grant), [
    ...grant.shared,
    ...(conversations === null ? [] : [conversations]),
  ]);
  const get = await operation<GetOutput>('get');
  const wanted =
    from === undefined && lines === undefined
      ? citation
      : `${citation.replace(/#.*$/, '')}#L${String(from ?? 1)}-L${String((from ?? 1) + (lines ?? DEFAULT_LINES) - 1)}`;
  try {
    const context = engine.contextOf(namespace, call.turn.agent, call.signal);
    const output = await runOperation(get, context, { citation: wanted });
    // Without a number of lines, all lines from the first one on are asked for.
    const isOpen = from !== undefined && lines === undefined;
    const { text, nextFrom, ...range } = recordExcerpt(output, isOpen ? output.lines.total : output.lines.to);
    return {
      status: 'ok',
      path,
      text,
      from: range.from,
      lines: range.lines,
      ...(nextFrom !== undefined && { truncated: true, nextFrom }),
      ...(output.valid_until !== undefined && { valid_until: output.valid_until }),
    };
  } catch (error) {
    if (error instanceof LociError && error.code === 'not_found')
      return { status: 'not_found', path, text: '' };
    throw error;
  }
}

const DEFAULT_LINES = 200;

/** Runs an operation that writes, in the agent's own namespace. @throws LociError */
export async function runWrite(
  engine: GatewayEngine,
  name: string,
  input: unknown,
  call: Call,
): Promise<unknown> {
  const grant = engine.grant(call.turn);
  const own = requireReadable(grant);
  if (!grant.mayWrite)
    throw new LociError('forbidden', 'this turn may not write memory', {
      hint: 'The owner of the gateway decides that with `nonOwner.write` and `sandboxed.write`.',
    });
  return runOn(engine, name, input, own, call);
}

/** Runs an operation that reads, in the agent's own namespace. @throws LociError */
export function runRead(engine: GatewayEngine, name: string, input: unknown, call: Call): Promise<unknown> {
  return runOn(engine, name, input, requireReadable(engine.grant(call.turn)), call);
}

async function runOn(
  engine: GatewayEngine,
  name: string,
  input: unknown,
  namespace: string,
  { turn, session, signal }: Call,
): Promise<unknown> {
  const known = await operation(name);
  const context = engine.contextOf(namespace, turn.agent, signal, session);
  return runOperation(known, context, parsed(known.input, input));
}

/** @throws LociError `invalid_input` */
export function parsed<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  return parseInput({ input: schema }, lenientInput({ input: schema }, input));
}

/** An operation, loaded at its first use. */
export async function operation<Output = unknown>(
  name: string,
): Promise<Operation<z.ZodType, z.ZodType<Output>>> {
  const entry = OPERATIONS.find((each) => each.name === name);
  if (entry === undefined) throw new LociError('internal', `there is no operation ${name}`);
  const loaded: Operation = await entry.load();
  return loaded as Operation<z.ZodType, z.ZodType<Output>>;
}

/**
 * Stores what a message of the owner asks to remember, with the turn in the metadata.
 * Nothing of a turn that may not write.
 * @throws LociError `writes_disabled`, and the other errors of a write
 */
export async function captureMessage(
  engine: GatewayEngine,
  message: string,
  { turn, origin }: { readonly turn: Turn; readonly origin: Readonly<Record<string, string>> },
): Promise<Captured> {
  const { own, mayWrite } = engine.grant(turn);
  if (own === null || !mayWrite || !turn.isOwner) return { stored: 0, secrets: 0 };
  const context = engine.contextOf(own, turn.agent, undefined, origin['session']);
  const loci = await context.loci({ create: true });
  const { maxPerTurn, maxPerDay } = engine.settings.autoCapture;
  const capture = await import('../../../engine/capture/capture-message.ts');
  return capture.captureMessage(loci, {
    message,
    origin: { agent: turn.agent, ...origin },
    maxPerTurn,
    maxPerDay,
  });
}
