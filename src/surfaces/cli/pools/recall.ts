import type { MemoryQuery, MemoryResult } from '../../../adapters/contract.ts';
import { LociError } from '../../../core/errors.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import { oneLine, toJson } from '../../shared/escape-control.ts';
import { type Io, outputColumns } from '../../shared/io.ts';
import type { RunStandalone } from '../../shared/run-standalone.ts';
import { snippetLines } from '../commands/records/search-snippet.ts';
import { hasColours, makeStyle, type Style } from '../format/style.ts';
import { clip } from '../format/text-width.ts';
import { indent, wrap } from '../format/wrap.ts';
import { assertHasPools, type PoolSession, prepare, withPools } from './pool-session.ts';
import { poolStatus } from './pool-status.ts';
import { recallQuery } from './recall-query.ts';

/** Runs `loci recall QUERY`, or `loci recall --status`. */
export const recall: RunStandalone = (call, io) =>
  withPools(call, io, async (session) => {
    if (call.options['status'] === true) return poolStatus(session, call, io);
    assertHasPools(session);
    const query = recallQuery(call, session.pools);
    const startedAt = performance.now();
    await session.adapter.init({ dataDir: session.home });
    for (const warning of session.takeWarnings()) session.warn(warning);
    assertCanSearch(session, query);
    const searched = session.pools.searchedBy(query);
    for (const problem of await session.pools.problemsOf(searched)) session.warn(problem);
    // If this fails, what was read before can still be searched.
    const isRead = await prepare(session, call).then(
      () => true,
      () => false,
    );
    // Those of folders are printed above, as far as the agent sees them.
    session.takeWarnings();
    const results = await recallWith(session, query);
    const tookMs = Math.round(performance.now() - startedAt);
    await warnOfGaps(session, isRead);
    const { id: adapter } = session.adapter;
    const { query: text, agentId: agent } = query;
    const summary = `${formatCount(results.length, 'result')} in ${String(tookMs)} ms, with ${adapter}`;
    io.stdout.write(
      call.json
        ? `${toJson({ query: text, agent, adapter, results, took_ms: tookMs })}\n`
        : results.length === 0
          ? nothingFound(session, query, outputColumns(io.stdout))
          : resultText(results, summary, io),
    );
    return 0;
  });

/** @throws LociError `invalid_input` for a mode that the adapter does not have */
function assertCanSearch({ adapter: { id, capabilities } }: PoolSession, { mode }: MemoryQuery): void {
  if (mode === undefined || capabilities[mode]) return;
  throw new LociError('invalid_input', `--mode ${mode}: the adapter ${id} does not have it`, {
    hint: 'docs/choosing.md compares the adapters; --adapter names another.',
  });
}

/** @throws LociError `unreadable` if the adapter could not search, which its empty list does not show */
async function recallWith(session: PoolSession, query: MemoryQuery): Promise<readonly MemoryResult[]> {
  const results = await session.adapter.recall(query);
  const [failure] = session.takeWarnings();
  if (failure === undefined) return results;
  throw new LociError('unreadable', `the pools could not be searched: ${failure}`, {
    hint: '`loci recall --status` shows what is wrong; adapters.deadline is how long a recall may take.',
  });
}

/** Says whether something is not searched, without what: it may be of pools that the agent does not see. */
async function warnOfGaps({ adapter, pools, warned, warn }: PoolSession, isRead: boolean): Promise<void> {
  const { message = '' } = await adapter.status();
  const told = new Set(['', ...warned, ...(await pools.problemsOf(pools.pools))]);
  if (!isRead || message.split('\n').some((line) => !told.has(line)))
    warn('not everything is searched: `loci recall --status` says why');
}

function resultText(results: readonly MemoryResult[], summary: string, io: Io): string {
  const style = makeStyle(hasColours(io.stdout, io.env));
  const columns = outputColumns(io.stdout);
  const blocks = results.flatMap((result, i) => [...resultBlock(result, i + 1, style, columns), '']);
  return `${[...blocks, style.dim(summary)].join('\n')}\n`;
}

function resultBlock(
  { uri, score, snippet, metadata = {} }: MemoryResult,
  rank: number,
  style: Style,
  columns: number,
): string[] {
  const label = `${String(rank)}. `;
  const margin = ' '.repeat(label.length);
  const room = columns - margin.length;
  const textOf = (key: string): string => {
    const value = metadata[key];
    return typeof value === 'string' ? oneLine(value) : '';
  };
  const relevance = score === undefined ? '' : ` · score ${score.toFixed(2)}`;
  const passage = { snippet: snippet ?? '', highlights: [], headings: [] };
  return [
    label + style.bold(clip(textOf('title'), room)),
    ...indent(
      [
        style.link(oneLine(uri)),
        clip(`From ${textOf('pool')} (${textOf('tier')})${relevance}`, room),
        ...snippetLines(passage, style, room - 2).map((line) => `${style.dim('│')} ${line}`),
      ],
      margin,
    ),
  ];
}

function nothingFound({ pools }: PoolSession, query: MemoryQuery, columns: number): string {
  const { query: text, agentId, tiers } = query;
  const seen = pools.seenBy(agentId);
  const advice = [
    ...(seen.length === 0
      ? [`The agent ${oneLine(agentId)} sees no pools: adapters.pools and adapters.agents decide that.`]
      : ['Try other words or fewer filters.']),
    ...(tiers === undefined && seen.some(({ tier }) => tier === 'cold')
      ? ['Cold pools were not searched: `--tier hot,warm,cold` searches all.']
      : []),
  ];
  return [
    `No results for "${clip(oneLine(text), 60)}".`,
    ...advice.flatMap((line) => wrap(line, columns)),
    '',
  ].join('\n');
}
