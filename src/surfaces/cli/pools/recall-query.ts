import type { MemoryQuery } from '../../../adapters/contract.ts';
import { type PoolSet, TIERS } from '../../../adapters/pools/pool-set.ts';
import { LociError } from '../../../core/errors.ts';
import type { StandaloneCall } from '../../shared/run-standalone.ts';
import { wrongOption } from './pool-session.ts';

/** The agent that OpenClaw has at first. */
const DEFAULT_AGENT = 'main';
const MAX_LIMIT = 1000;

/**
 * The query of a command line.
 * @throws LociError `invalid_input` that names the option and what it must be
 */
export function recallQuery({ operands, options, lists }: StandaloneCall, pools: PoolSet): MemoryQuery {
  const query = operands.join(' ').trim();
  if (query === '')
    throw new LociError('invalid_input', 'QUERY is missing', { hint: 'See `loci recall --help`.' });
  const { agent = DEFAULT_AGENT, limit, mode } = options;
  if (typeof agent !== 'string' || agent === '') throw wrongOption('agent', 'the id of an agent', agent);
  const isLimit = typeof limit === 'string' && /^\d{1,4}$/.test(limit) && +limit >= 1 && +limit <= MAX_LIMIT;
  if (limit !== undefined && !isLimit)
    throw wrongOption('limit', `a whole number from 1 to ${String(MAX_LIMIT)}`, limit);
  if (mode !== undefined && mode !== 'keyword' && mode !== 'semantic')
    throw wrongOption('mode', 'keyword or semantic', mode);
  return {
    agentId: agent,
    query,
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(mode !== undefined && { mode }),
    ...(lists['tier'] !== undefined && { tiers: lists['tier'].flatMap(tiersIn) }),
    ...(lists['pool'] !== undefined && { poolIds: poolIdsIn(lists['pool'], agent, pools) }),
    filters: filtersIn(lists['filter'] ?? []),
  };
}

function tiersIn(text: string): (typeof TIERS)[number][] {
  return text.split(',').map((name) => {
    const tier = TIERS.find((each) => each === name.trim());
    if (tier === undefined)
      throw wrongOption('tier', `hot, warm or cold, or several separated by commas`, text);
    return tier;
  });
}

/** Pools that an agent does not see are treated like pools that do not exist, so that an error does not tell of them. */
function poolIdsIn(texts: readonly string[], agent: string, pools: PoolSet): string[] {
  const seen = new Set(pools.seenBy(agent).map(({ id }) => id));
  return texts.flatMap((text) => {
    // An id may have a comma.
    const ids = seen.has(text) ? [text] : text.split(',').map((id) => id.trim());
    const unknown = ids.find((id) => !seen.has(id));
    if (unknown === undefined) return ids;
    const hint = seen.size === 0 ? 'It sees no pools.' : `It sees ${[...seen].join(', ')}.`;
    throw new LociError(
      'invalid_input',
      `--pool: the agent ${agent} sees no pool ${JSON.stringify(unknown)}`,
      { hint },
    );
  });
}

/** Values by key. */
function filtersIn(texts: readonly string[]): Record<string, string[]> {
  const filters = new Map<string, string[]>();
  for (const text of texts) {
    const [, key, value] = /^([^=]+)=([^]*)$/.exec(text) ?? [];
    if (key === undefined || value === undefined)
      throw wrongOption('filter', 'a key and a value, such as project=kitchen', text);
    filters.set(key, [...(filters.get(key) ?? []), value]);
  }
  return Object.fromEntries(filters);
}
