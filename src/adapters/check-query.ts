import { LociError } from '../core/errors.ts';
import type { PoolQuery } from './backend.ts';
import type { MemoryQuery } from './contract.ts';
import { DEFAULT_LIMIT, TIERS } from './pools/pool-set.ts';

/** The most results of a recall. */
const MAX_LIMIT = 1000;
/** A longer query is cut, in UTF-16 units. */
const MAX_QUERY_LENGTH = 10_000;
/** Properties and, of all of them, values that a query filters by. */
const MAX_PROPERTIES = 50;
const MAX_VALUES = 1000;

/** @throws LociError `invalid_input` that names the wrong field */
export function checked(given: MemoryQuery): Pick<PoolQuery, 'text' | 'limit' | 'filters' | 'mode'> {
  if (typeof given !== 'object' || (given as unknown) === null)
    throw new LociError('invalid_input', 'the query is not an object with agentId and query');
  const { agentId, query, limit = DEFAULT_LIMIT, poolIds, tiers, filters = {}, mode } = given;
  const invalid = (field: string, expected: string): LociError =>
    new LociError('invalid_input', `${field} of the query is not ${expected}`);
  if (typeof agentId !== 'string' || agentId === '') throw invalid('agentId', 'a text');
  if (typeof query !== 'string') throw invalid('query', 'a text');
  if (!Number.isInteger(limit) || limit < 0) throw invalid('limit', 'a whole number from 0');
  if (poolIds !== undefined && !isListOfTexts(poolIds)) throw invalid('poolIds', 'a list of ids');
  if (tiers !== undefined && !(isListOfTexts(tiers) && tiers.every((tier) => TIERS.includes(tier))))
    throw invalid('tiers', `a list of ${TIERS.join(', ')}`);
  if (mode !== undefined && !['semantic', 'keyword'].includes(mode))
    throw invalid('mode', 'semantic or keyword');
  if (
    typeof filters !== 'object' ||
    (filters as unknown) === null ||
    Array.isArray(filters) ||
    Object.values(filters).some((each) => typeof each !== 'string' && !isListOfTexts(each))
  )
    throw invalid('filters', 'a map of texts or lists of texts');
  const properties = Object.entries(filters).map(([property, value]) => [property, [value].flat()] as const);
  if (
    properties.length > MAX_PROPERTIES ||
    properties.reduce((sum, [, values]) => sum + values.length, 0) > MAX_VALUES
  )
    throw invalid(
      'filters',
      `a map of at most ${String(MAX_PROPERTIES)} properties with ${String(MAX_VALUES)} values in sum`,
    );
  return {
    text: query.slice(0, MAX_QUERY_LENGTH).trim(),
    limit: Math.min(limit, MAX_LIMIT),
    filters: Object.fromEntries(properties),
    mode: mode ?? 'all',
  };
}

export function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
