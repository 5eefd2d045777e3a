import { LRUCache } from 'lru-cache';
import type { SourceConfig, VaultConfig } from '../../../config/sources-schema.ts';
import { conversationsName } from '../../../sources/conversation.ts';
import { SOURCE_POLICY, type SourcePolicy, VAULT_POLICY } from '../../../search/rank/ranking.ts';
import type { Caller } from '../../../core/caller.ts';
import type { SearchFilter } from '../../../store/search-model.ts';
import type { ItemChange } from '../../../store/item-model.ts';
import { sourceStateChange, sourceStates } from '../../../store/items/kinds.ts';
import type { EngineContext } from '../../context.ts';
import { cachedSources } from './configured-sources.ts';
import { vaultName, vaultsOfNamespace } from './vault-names.ts';

/** The settings of a source that affect search and its results. */
export type NamespaceSource = Pick<
  SourceConfig,
  'id' | 'name' | 'refreshInterval' | 'weight' | 'minScore' | 'includeInContext' | 'enabled'
>;

/** The search settings of a vault or source. Its records have its name as their `source`. */
interface NamedSettings extends Partial<Pick<SourceConfig, 'includeInContext' | 'enabled'>> {
  readonly name: string;
  readonly policy: SourcePolicy;
}

/** The vaults and sources that a namespace has. */
interface NamespaceSources {
  readonly vaults: readonly VaultConfig[];
  readonly sources: readonly NamespaceSource[];
  /** Sources of conversations: those of folders, and those that were imported. */
  readonly conversations: readonly NamespaceSource[];
}

/**
 * The sources, without waiting for the store where they were read in the last 10 seconds. `isCurrent` resolves to `false` if the store has
 * other conversations by now, which an agent may not find: what was read meanwhile must not be shown.
 */
export async function knownSources(
  context: EngineContext,
): Promise<NamespaceSources & { readonly isCurrent: Promise<boolean> }> {
  const isCurrent = context.shared(StoredConversations).isCurrent(context);
  isCurrent.catch(() => undefined);
  return { ...(await sourcesOfNamespace(context, true)), isCurrent };
}

/**
 * Vaults and sources belong to the configured namespace; other namespaces have only imported conversations.
 * @param mayBeOld whether those of the last 10 seconds do, as they always do for the operator
 */
export async function sourcesOfNamespace(
  context: EngineContext,
  mayBeOld = context.caller.trust === 'operator',
): Promise<NamespaceSources> {
  const { sources } = await cachedSources(context);
  const vaults = vaultsOfNamespace(context);
  const folders = sources.flatMap(({ kind, settings, id }) =>
    kind === 'conversations' ? [{ ...settings, id }] : [],
  );
  const others = sources.flatMap((source) => {
    if (source.kind === 'conversations') return [];
    const isOfSkill = source.kind === 'command' && source.skill !== null;
    const { settings, id } = source;
    return [{ ...settings, id, ...(isOfSkill && { weight: skillWeight(settings.weight) }) }];
  });
  const names = new Set(folders.map(({ id }) => id));
  const conversations = [...folders, ...(await storedConversations(context, names, mayBeOld))];
  return { vaults, sources: others, conversations: conversations.map((source) => asSeenBy(context, source)) };
}

/** How long the same names are used where they may be old. */
const CACHE_DURATION_MS = 10_000;
const MAX_NAMESPACES = 10_000;

/** The sources that have conversations in the store, by namespace. */
class StoredConversations {
  readonly #read = new LRUCache<string, ReadonlySet<string>>({ max: MAX_NAMESPACES, ttl: CACHE_DURATION_MS });

  async ids(context: EngineContext, mayBeOld: boolean): Promise<ReadonlySet<string>> {
    const cached = mayBeOld ? this.#read.get(context.namespace) : undefined;
    return cached ?? this.#readAgain(context);
  }

  /** Whether the names that the caller now gets as old ones are those of the store, for all but the operator, to whom none is private. */
  async isCurrent(context: EngineContext): Promise<boolean> {
    const cached = this.#read.get(context.namespace);
    if (context.caller.trust === 'operator' || cached === undefined) return true;
    return [...(await this.#readAgain(context))].every((id) => cached.has(id));
  }

  async #readAgain({ store, namespace }: EngineContext): Promise<ReadonlySet<string>> {
    const states = await sourceStates(store.records, namespace);
    const ids = new Set([...states].flatMap(([id, { hasConversations }]) => (hasConversations ? id : [])));
    this.#read.set(namespace, ids);
    return ids;
  }

  /** Called before the first conversations of a source are written. */
  add({ namespace }: EngineContext, source: string): void {
    const cached = this.#read.get(namespace);
    if (cached !== undefined) this.#read.set(namespace, new Set([...cached, source]));
  }
}

/** The change of the state of a source that is to be written with conversations. This process knows of them at once. */
export function conversationState(context: EngineContext, source: string): ItemChange {
  context.shared(StoredConversations).add(context, source);
  return sourceStateChange(source, { hasConversations: true });
}

/** Conversations that no folder of the settings has: those that `import` has stored, and those of a folder that was taken out. */
async function storedConversations(
  context: EngineContext,
  folders: ReadonlySet<string>,
  mayBeOld: boolean,
): Promise<readonly NamespaceSource[]> {
  // A vault or command with the same name opens nothing, and is hidden with them.
  const set = new Map(
    context.config.sources.flatMap((source) =>
      source.kind === 'conversations' ? [[source.id, source]] : [],
    ),
  );
  const ids = await context.shared(StoredConversations).ids(context, mayBeOld);
  return [...ids]
    .filter((id) => !folders.has(id))
    .map((id) => ({
      name: conversationsName(id),
      enabled: true,
      ...set.get(id),
      id,
      refreshInterval: Infinity,
    }));
}

/** Conversations are private: unless the settings include them in contexts, only the operator finds them. */
function asSeenBy({ caller }: EngineContext, source: NamespaceSource): NamespaceSource {
  const { includeInContext = false, enabled } = source;
  return {
    ...source,
    includeInContext,
    enabled: enabled && (includeInContext || caller.trust === 'operator'),
  };
}

/** The names of the sources of conversations that the caller may not read, whatever it names. */
export async function privateSources(context: EngineContext): Promise<string[]> {
  if (context.caller.trust === 'operator') return [];
  const { conversations } = await sourcesOfNamespace(context);
  return conversations.flatMap(({ id, includeInContext }) => (includeInContext === true ? [] : [id]));
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
  const { vaults, sources, conversations } = await sourcesOfNamespace(context);
  return hiddenSources(vaults, [...sources, ...conversations], audience);
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
