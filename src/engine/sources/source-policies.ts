import type { SourceConfig, VaultConfig } from '../../config/sources-schema.ts';
import { SOURCE_POLICY, VAULT_POLICY, type SourcePolicy } from '../../search/rank/source-policy.ts';
import type { SearchFilter } from '../../store/store.ts';
import type { EngineContext } from '../context.ts';
import { recentSources } from './configured.ts';
import { ownVaults, vaultName } from '../vaults/vault-names.ts';

/** What the settings say of a vault or source, by the name that its records go by. */
interface NamedSwitches extends Partial<Pick<SourceConfig, 'includeInContext' | 'enabled'>> {
  readonly name: string;
  readonly policy: SourcePolicy;
}

/** Vaults and sources are read for the configured namespace alone; of the same names elsewhere the settings say nothing. */
export async function ownSources(context: EngineContext): Promise<{
  readonly vaults: readonly VaultConfig[];
  readonly sources: readonly SourceConfig[];
}> {
  const { sources } = await recentSources(context);
  return {
    vaults: ownVaults(context),
    sources: sources.map(({ id, settings, skill }) => ({
      ...settings,
      id,
      ...(skill !== null && { weight: weightOfSkill(settings.weight) }),
    })),
  };
}

/** Nobody approves what a skill says of its rank: only the owner's own settings may lift a source above the usual. */
function weightOfSkill(said: number = SOURCE_POLICY.weight): number {
  return Math.min(said, SOURCE_POLICY.weight);
}

/** How search treats the records of each vault and source. */
export function sourcePolicies(
  vaults: readonly VaultConfig[],
  sources: readonly SourceConfig[],
): Map<string, SourcePolicy> {
  return new Map(switchesOf(vaults, sources).map(({ name, policy }) => [name, policy]));
}

/** For whom a search is: a user, or the context of a model that did not ask for it. */
export type Audience = 'user' | 'context';

/** The disabled vaults and sources; for a context also those that the settings keep out of it. */
export function hiddenSources(
  vaults: readonly VaultConfig[],
  sources: readonly SourceConfig[],
  audience: Audience,
): string[] {
  return switchesOf(vaults, sources).flatMap(({ name, enabled = true, includeInContext = true }) =>
    enabled && (includeInContext || audience === 'user') ? [] : [name],
  );
}

/** The filter that lets nothing of these through either. */
export function withoutSources<Filter extends Omit<SearchFilter, 'now'>>(
  filter: Filter,
  hidden: readonly string[],
): Filter {
  // A filter of no names would keep the store from its quickest way.
  if (hidden.length === 0) return filter;
  return { ...filter, exceptSources: [...(filter.exceptSources ?? []), ...hidden] };
}

function switchesOf(
  vaults: readonly VaultConfig[],
  sources: readonly SourceConfig[],
): readonly NamedSwitches[] {
  return [
    ...vaults.map((vault) => ({ ...vault, name: vaultName(vault), policy: policyOfVault(vault) })),
    ...sources.map((source) => ({ ...source, name: source.id, policy: policyOfSource(source) })),
  ];
}

function policyOfVault({ weight, minScore }: VaultConfig): SourcePolicy {
  const { weight: usual, minScore: least, recency } = VAULT_POLICY;
  return { weight: weight ?? usual, minScore: minScore ?? least, recency };
}

function policyOfSource({ weight, minScore }: SourceConfig): SourcePolicy {
  return { ...SOURCE_POLICY, weight: weight ?? SOURCE_POLICY.weight, minScore };
}
