import type { SourceConfig, VaultConfig } from '../../../config/sources-schema.ts';
import { SOURCE_POLICY, type SourcePolicy, VAULT_POLICY } from '../../../search/rank/ranking.ts';
import type { Caller } from '../../../core/caller.ts';
import type { SearchFilter } from '../../../store/search-model.ts';
import type { EngineContext } from '../../context.ts';
import { cachedSources } from './configured-sources.ts';
import { vaultName, vaultsOfNamespace } from './vault-names.ts';

/** The settings of a command or function that affect search and its results. */
export type NamespaceSource = Pick<
  SourceConfig,
  'id' | 'name' | 'refreshInterval' | 'weight' | 'minScore' | 'includeInContext' | 'enabled'
>;

/** The search settings of a vault or source. Its records have its name as their `source`. */
interface NamedSettings extends Partial<Pick<SourceConfig, 'includeInContext' | 'enabled'>> {
  readonly name: string;
  readonly policy: SourcePolicy;
}

/** Vaults and sources belong to the configured namespace; other namespaces have none. */
export async function sourcesOfNamespace(context: EngineContext): Promise<{
  readonly vaults: readonly VaultConfig[];
  readonly sources: readonly NamespaceSource[];
}> {
  const { sources } = await cachedSources(context);
  return {
    vaults: vaultsOfNamespace(context),
    sources: sources.map((source) => ({
      ...source.settings,
      id: source.id,
      ...(source.kind === 'command' &&
        source.skill !== null && { weight: skillWeight(source.settings.weight) }),
    })),
  };
}

/** The approval of a skill does not cover weights, so only the settings may raise a source above the default weight. */
function skillWeight(weight: number = SOURCE_POLICY.weight): number {
  return Math.min(weight, SOURCE_POLICY.weight);
}

/** The ranking policy of each vault and source, by name. */
export function sourcePolicies(
  vaults: readonly VaultConfig[],
  sources: readonly NamespaceSource[],
): Map<string, SourcePolicy> {
  return new Map(namedSettings(vaults, sources).map(({ name, policy }) => [name, policy]));
}

/** Who receives the results: a user who searches, or a model whose context gets them without a request. */
export type Audience = 'user' | 'context';

/** An agent gets the sources that the settings keep out of its context only if it names sources. */
export function audienceOf(
  { trust }: Pick<Caller, 'trust'>,
  { sources }: { readonly sources?: readonly string[] },
): Audience {
  return trust === 'operator' || sources !== undefined ? 'user' : 'context';
}

/** The names of the disabled vaults and sources, and for `context` also of those with `includeInContext: false`. */
export function hiddenSources(
  vaults: readonly VaultConfig[],
  sources: readonly NamespaceSource[],
  audience: Audience,
): string[] {
  return namedSettings(vaults, sources).flatMap(({ name, enabled = true, includeInContext = true }) =>
    enabled && (includeInContext || audience === 'user') ? [] : [name],
  );
}

/**
 * The names of the vaults and sources that the caller does not see.
 * @param filter of the request, which may name sources
 */
export async function sourcesHiddenFrom(
  context: EngineContext,
  filter: { readonly sources?: readonly string[] } = {},
  audience: Audience = audienceOf(context.caller, filter),
): Promise<string[]> {
  const { vaults, sources } = await sourcesOfNamespace(context);
  return hiddenSources(vaults, sources, audience);
}

/** The filter without the vaults and sources that the caller does not see. */
export async function visibleFilter<Filter extends Omit<SearchFilter, 'now'>>(
  context: EngineContext,
  filter: Filter,
  audience?: Audience,
): Promise<Filter & { readonly now: number }> {
  const hidden = await sourcesHiddenFrom(context, filter, audience);
  return { ...excludeSources(filter, hidden), now: context.now() };
}

/** Adds the hidden sources to those that the filter excludes. */
export function excludeSources<Filter extends Omit<SearchFilter, 'now'>>(
  filter: Filter,
  hidden: readonly string[],
): Filter {
  // The store is fastest without a list of excluded sources.
  if (hidden.length === 0) return filter;
  return { ...filter, excludedSources: [...(filter.excludedSources ?? []), ...hidden] };
}

function namedSettings(
  vaults: readonly VaultConfig[],
  sources: readonly NamespaceSource[],
): readonly NamedSettings[] {
  return [
    ...vaults.map((vault) => ({
      ...vault,
      name: vaultName(vault),
      policy: withSettings(VAULT_POLICY, vault.weight, vault.minScore),
    })),
    ...sources.map((source) => ({ ...source, name: source.id, policy: policyOfSource(source) })),
  ];
}

function policyOfSource({ weight, minScore }: NamespaceSource): SourcePolicy {
  return withSettings(SOURCE_POLICY, weight, minScore);
}

/** A configured minimum score has no exceptions. */
function withSettings(defaults: SourcePolicy, weight?: number, minScore?: number): SourcePolicy {
  return {
    ...defaults,
    ...(weight !== undefined && { weight }),
    ...(minScore !== undefined && { minScore, allWordsSuffice: false }),
  };
}
