import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { expandHome } from '../config/paths.ts';
import type { Config } from '../config/schema.ts';
import { LociError, messageOf } from '../core/errors.ts';
import { isJsonMap, type JsonMap } from '../core/json.ts';
import { type Backend, PoolAdapter } from './pool-adapter.ts';
import type { LociAdapter } from './contract.ts';
import { type AgentRoles, PoolSet } from './pools/pool-set.ts';

/** The values of `memory.adapter`. */
export type AdapterId = 'filesystem' | 'lancedb' | 'loci';

/** Settings as in `loci.yaml`, which they override: `{ memory: { adapter: 'lancedb' } }`. */
export type AdapterConfig = JsonMap & { readonly memory?: { readonly adapter?: AdapterId } };

export interface CreateAdapterOptions {
  /** The home folder; `LOCI_HOME`, then `~/.loci`, unless given. An adapter keeps its index there unless `init` names another folder. */
  readonly home?: string;
  /** Called once with each message about something that does not work. By default a warning of the process. */
  readonly onWarning?: (message: string) => void;
}

/** Each backend is loaded when it is used. */
const BACKENDS: { readonly [Id in AdapterId]: (config: Config, home: string) => Promise<Backend> } = {
  filesystem: async () => new (await import('./filesystem/filesystem.ts')).FilesystemBackend(),
  lancedb: async (config) => new (await import('./lancedb/lancedb.ts')).LancedbBackend(config),
  loci: async (config, home) => new (await import('./loci/loci.ts')).LociBackend(config, home),
};

/**
 * Makes the adapter that the settings name. Where LanceDB is not installed, or does not work, it is `filesystem`: its status says so.
 * @throws LociError `invalid_config` that names each wrong setting, or `invalid_input`
 */
export async function createAdapter(
  config: AdapterConfig = {},
  {
    home,
    onWarning = (message) => {
      process.emitWarning(message);
    },
  }: CreateAdapterOptions = {},
): Promise<LociAdapter> {
  if (!isJsonMap(config)) throw new LociError('invalid_input', 'config is not an object with settings');
  const loaded = await loadConfig({
    ...(home !== undefined && { home }),
    hostSettings: { tree: config, place: 'config' },
  });
  return adapterOf(loaded, onWarning);
}

/** Makes the adapter of settings that are loaded. @throws LociError `invalid_config` */
export async function adapterOf(
  loaded: LoadedConfig,
  onWarning: (message: string) => void,
): Promise<PoolAdapter> {
  const { memory, adapters } = loaded.values;
  const backend = await BACKENDS[memory.adapter](loaded.values, loaded.home);
  const fallback =
    memory.adapter === 'lancedb' ? await BACKENDS.filesystem(loaded.values, loaded.home) : null;
  return new PoolAdapter(backend, {
    dataDir: loaded.home,
    vaultRoot: adapters.vaultRoot,
    pools: configuredPools(loaded).definitions,
    roles: rolesOf(loaded.values),
    deadlineMs: adapters.deadline,
    ...(fallback !== null && { fallback }),
    onWarning,
  });
}

/** The pools of the settings. @throws LociError `invalid_config` */
export function configuredPools({ values, origins }: LoadedConfig): PoolSet {
  const { pools, vaultRoot } = values.adapters;
  try {
    return new PoolSet(
      pools.map((pool) => ({ ...pool, path: expandHome(pool.path) })),
      { vaultRoot, roles: rolesOf(values) },
    );
  } catch (error) {
    throw new LociError('invalid_config', `${String(origins.get('adapters.pools'))}: ${messageOf(error)}`, {
      hint: 'Correct it, or set adapters.vaultRoot, where relative paths start.',
      cause: error,
    });
  }
}

function rolesOf({ adapters: { agents } }: Config): AgentRoles {
  return Object.fromEntries(agents.map(({ id, roles }) => [id, roles]));
}
