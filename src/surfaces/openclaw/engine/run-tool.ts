import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import type { Operation } from '../../../operations/operation.ts';
import type { CorpusOutput } from '../../../operations/facts/corpus.ts';
import type { GetOutput } from '../../../engine/records/get.ts';
import { runInAll, splitCitation } from '../../../operations/records/several-namespaces.ts';
import type { SearchOutput } from '../../../engine/records/results/search-fields.ts';
import { OPERATIONS } from '../../../operations/registry.ts';
import { runOperation } from '../../../operations/run.ts';
import { parseInput } from '../../../operations/shared/input.ts';
import { lenientInput } from '../../../operations/shared/lenient-input.ts';
import { recordExcerpt, type LociHit, searchAnswer, type SearchAnswer } from './answers.ts';
import type { GatewayEngine } from './engine.ts';
import { requireReadable } from './grant.ts';
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
    .enum(['memory', 'wiki', 'all', 'sessions'])
    .exactOptional()
    .describe('Not needed: everything that is remembered is searched.'),
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
  corpus: z.enum(['memory', 'wiki', 'all']).exactOptional().describe('Not needed.'),
});

interface Call {
  readonly turn: Turn;
  readonly signal?: AbortSignal;
}

/** Searches the namespaces that the turn may read, with the input of memory-core's tool. @throws LociError */
export async function searchMemory(engine: GatewayEngine, input: unknown, call: Call): Promise<SearchAnswer> {
  const { query, maxResults, minScore, corpus, ...filters } = parsed(searchInput, input);
  const { settings } = engine;
  const grant = engine.grant(call.turn);
  const own = requireReadable(grant);
  const conversations = engine.conversationsOf(call.turn.agent);
  const isOfSessions = corpus === 'sessions';
  if (isOfSessions && !grant.shared.includes(conversations))
    throw new LociError('invalid_input', 'conversations are not stored, or not for this turn to read', {
      hint: 'Search without `corpus`: everything that is remembered is searched.',
    });
  const limit = maxResults ?? settings.maxResults;
  const search = await operation<SearchOutput>('search');
  const request = parseInput(search, {
    query,
    limit,
    related: Math.min(limit, MAX_RELATED),
    ...filters,
    ...(minScore !== undefined && { min_score: minScore }),
  });
  // With the same signal, the searches embed the query only once.
  const signal = call.signal ?? new AbortController().signal;
  const outputs = await runInAll(isOfSessions ? [conversations] : [own, ...grant.shared], (namespace) =>
    runOperation(search, engine.contextOf(namespace, call.turn.agent, signal), request),
  );
  const found = outputs.reduce((sum, { output }) => sum + output.results.length, 0);
  const hasFilter = Object.keys(filters).length > 0;
  const runs = isOfSessions || hasFilter || found >= limit ? [] : await runsAbout(engine, query, call.turn);
  return searchAnswer(outputs, { own, limit, maxTokens: settings.maxTokens, runs });
}

/** Runs of tools are appended only where there is room, because a question rarely asks what was done. */
const MAX_RUNS = 2;

async function runsAbout(
  engine: GatewayEngine,
  query: string,
  turn: Turn,
): Promise<CorpusOutput['documents']> {
  const documents = await corpusDocuments(engine, { query, limit: 50 }, turn);
  return documents.filter(({ collection }) => collection !== 'facts').slice(0, MAX_RUNS);
}

const MAX_RELATED = 3;

/** The answer of memory-core's tool has these fields of a hit; the others would only cost tokens. */
export function toolAnswer({ results, ...answer }: SearchAnswer): unknown {
  return { ...answer, results: results.map(toolHit) };
}

function toolHit({ provenance, ...hit }: LociHit): unknown {
  return { ...hit, provenance: { originClass: provenance.originClass } };
}

/** Reads a record or a part of it, with the input of memory-core's tool. @throws LociError, but not `not_found` */
export async function readMemory(engine: GatewayEngine, input: unknown, call: Call): Promise<MemoryRead> {
  const { path, from, lines } = parsed(getInput, input);
  const grant = engine.grant(call.turn);
  const { namespace, citation } = splitCitation(path, requireReadable(grant), grant.shared);
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
    };
  } catch (error) {
    if (error instanceof LociError && error.code === 'not_found')
      return { status: 'not_found', path, text: '' };
    throw error;
  }
}

const DEFAULT_LINES = 200;

/** The facts and runs of the agent that match a query. @throws LociError */
export async function corpusDocuments(
  engine: GatewayEngine,
  request: { readonly query: string; readonly limit: number },
  turn: Turn,
): Promise<CorpusOutput['documents']> {
  const own = requireReadable(engine.grant(turn));
  const corpus = await operation<CorpusOutput>('corpus');
  const { query, limit } = request;
  const input = parseInput(corpus, { query: query.slice(0, 2000), limit: Math.min(Math.max(1, limit), 500) });
  return (await runOperation(corpus, engine.contextOf(own, turn.agent), input)).documents;
}

/** Runs an operation that writes, in the agent's own namespace. @throws LociError */
export async function runWrite(
  engine: GatewayEngine,
  name: string,
  input: unknown,
  { turn, signal }: Call,
): Promise<unknown> {
  const grant = engine.grant(turn);
  const own = requireReadable(grant);
  if (!grant.mayWrite)
    throw new LociError('forbidden', 'this turn may not write memory', {
      hint: 'The owner of the gateway decides that with `nonOwner.write` and `sandboxed.write`.',
    });
  const write = await operation(name);
  const context = engine.contextOf(own, turn.agent, signal);
  return runOperation(write, context, parseInput(write, lenientInput(write, input)));
}

/** @throws LociError `invalid_input` */
function parsed<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  return parseInput({ input: schema }, lenientInput({ input: schema }, input));
}

const loaded = new Map<string, Promise<Operation>>();

async function operation<Output = unknown>(name: string): Promise<Operation<z.ZodType, z.ZodType<Output>>> {
  const entry = OPERATIONS.find((each) => each.name === name);
  if (entry === undefined) throw new LociError('internal', `there is no operation ${name}`);
  const operations = loaded.get(name) ?? entry.load();
  loaded.set(name, operations);
  return (await operations) as Operation<z.ZodType, z.ZodType<Output>>;
}

/** The tag of records that auto-capture has written. */
const CAPTURED = 'captured';

/**
 * Writes facts as records of the agent, with the turn in their metadata. One that is stored already is not written again, and no
 * more are written than the settings allow. Returns how many were written.
 * @throws LociError `writes_disabled`, and the other errors of a write
 */
export async function captureFacts(
  engine: GatewayEngine,
  facts: readonly string[],
  { turn, origin }: { readonly turn: Turn; readonly origin: Readonly<Record<string, string>> },
): Promise<number> {
  const { own, mayWrite } = engine.grant(turn);
  if (own === null || !mayWrite) return 0;
  const loci = await engine.contextOf(own, turn.agent).loci({ create: true });
  const { maxPerTurn, maxPerDay } = engine.settings.autoCapture;
  const today = new Date().setHours(0, 0, 0, 0);
  const [{ listRecords }, { write }] = await Promise.all([
    import('../../../engine/records/list.ts'),
    import('../../../engine/records/write.ts'),
  ]);
  const { records } = await listRecords(loci, { limit: maxPerDay, tags: [CAPTURED] });
  const writtenToday = records.filter(({ created_at }) => Date.parse(created_at) >= today).length;
  let written = 0;
  for (const content of facts.slice(0, Math.min(maxPerTurn, maxPerDay - writtenToday))) {
    const { replayed } = await write(loci, {
      content,
      category: CAPTURED,
      tags: [CAPTURED],
      metadata: { captured_from: origin },
      unlessSame: true,
    });
    if (!replayed) written++;
  }
  return written;
}

/** Longer messages and answers are cut. In characters. */
const MAX_CONVERSATION_LENGTH = 20_000;

/**
 * Stores a message of the owner with its answer, which expires, in the namespace of the agent's conversations. Stores nothing of a
 * turn that may not find it.
 * @throws LociError
 */
export async function storeConversation(
  engine: GatewayEngine,
  {
    turn,
    text,
    origin,
  }: { readonly turn: Turn; readonly text: string; readonly origin: Readonly<Record<string, string>> },
): Promise<void> {
  const { agent } = turn;
  const namespace = engine.conversationsOf(agent);
  const { shared, mayWrite } = engine.grant(turn);
  if (!mayWrite || !shared.includes(namespace)) return;
  const loci = await engine.contextOf(namespace, agent).loci({ create: true });
  const { session = '', run = randomUUID() } = origin;
  const { storeFact } = await import('../../../engine/facts/facts.ts');
  await storeFact(loci, {
    key: `${session}/${run}`.slice(0, MAX_KEY_LENGTH),
    value: text.slice(0, MAX_CONVERSATION_LENGTH).toWellFormed(),
    category: 'sessions',
    expires: `${String(engine.settings.sessions.days)}d`,
  });
}

const MAX_KEY_LENGTH = 200;
