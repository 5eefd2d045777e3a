import { adapterOf, configuredPools } from '../../../adapters/create-adapter.ts';
import type { PoolAdapter } from '../../../adapters/pool-adapter.ts';
import type { PoolSet } from '../../../adapters/pools/pool-set.ts';
import { ADAPTER_IDS } from '../../../config/adapters-schema.ts';
import { loadConfig } from '../../../config/load.ts';
import { LociError } from '../../../core/errors.ts';
import type { Progress } from '../../../core/progress.ts';
import type { Io } from '../../shared/io.ts';
import type { StandaloneCall } from '../../shared/run-standalone.ts';
import { exitOnStop } from '../../shared/stop-signals.ts';
import { printWarning } from '../format/print-warning.ts';
import { ProgressDisplay } from '../format/progress-display.ts';

/** An open adapter with the pools of the settings. */
export interface PoolSession {
  readonly adapter: PoolAdapter;
  readonly pools: PoolSet;
  readonly home: string;
  readonly progress: ProgressDisplay;
  /** What was printed. */
  readonly warned: ReadonlySet<string>;
  readonly warn: (message: string) => void;
  /** What the adapter has warned of since the last call. */
  readonly takeWarnings: () => string[];
}

/** Reads what has changed. With `--wait`, it ends when everything has a vector, or is refused by the provider. */
export async function prepare(
  { adapter, progress }: PoolSession,
  { options }: StandaloneCall,
): Promise<void> {
  let total = 0;
  let isOver = false;
  const show = async (): Promise<void> => {
    const { details } = await adapter.status();
    const waiting = Number(details?.['waiting'] ?? 0);
    total = Math.max(total, waiting);
    if (isOver) return;
    progress.update(
      total === 0 ? READING : { stage: 'embedding', subject: '', done: total - waiting, total },
    );
  };
  const timer = setInterval(() => void show(), PROGRESS_INTERVAL_MS);
  try {
    await adapter.prepare(options['wait'] === true ? 0 : MAX_EMBEDDING_WAIT_MS);
  } finally {
    isOver = true;
    clearInterval(timer);
    progress.clear();
  }
}

const READING: Progress = { stage: 'reading', subject: 'what has changed', done: 0, total: 0 };
/** A few notes are embedded before they are searched. More are found by their words until they are. */
const MAX_EMBEDDING_WAIT_MS = 2000;
const PROGRESS_INTERVAL_MS = 1000;

/**
 * Calls a function with the adapter of a command line, and closes the adapter. A stop signal ends the process meanwhile.
 * @throws LociError `invalid_config`, or `invalid_input` for an adapter that does not exist
 */
export async function withPools(
  { options, home }: StandaloneCall,
  io: Io,
  use: (session: PoolSession) => Promise<number>,
): Promise<number> {
  const loaded = await loadConfig({ env: io.env, ...(home !== undefined && { home }) });
  const { values } = loaded;
  const memory = { adapter: adapterNamed(options['adapter']) ?? values.memory.adapter };
  if (values.log.level !== 'error') for (const warning of loaded.warnings) printWarning(warning, io);
  const warnings: string[] = [];
  const warned = new Set<string>();
  const progress = new ProgressDisplay(io.stderr);
  const session: PoolSession = {
    pools: configuredPools(loaded),
    adapter: await adapterOf(
      { ...loaded, values: { ...values, memory } },
      (message) => void warnings.push(message),
    ),
    home: loaded.home,
    progress,
    warned,
    warn: (message) => {
      warned.add(message);
      progress.clear();
      printWarning(message, io);
    },
    takeWarnings: () => warnings.splice(0),
  };
  const stopping = exitOnStop();
  try {
    return await use(session);
  } finally {
    await session.adapter.close();
    stopping[Symbol.dispose]();
  }
}

function adapterNamed(name: string | true | undefined): (typeof ADAPTER_IDS)[number] | undefined {
  if (name === undefined) return undefined;
  const id = ADAPTER_IDS.find((each) => each === name);
  if (id === undefined) throw wrongOption('adapter', `one of ${ADAPTER_IDS.join(', ')}`, name);
  return id;
}

export function wrongOption(option: string, expected: string, given: unknown): LociError {
  return new LociError('invalid_input', `--${option} must be ${expected}, not ${JSON.stringify(given)}`);
}

/** @throws LociError `invalid_config` if the settings have no pools */
export function assertHasPools({ pools, home }: PoolSession): void {
  if (pools.pools.length > 0) return;
  throw new LociError(
    'invalid_config',
    `there are no pools: adapters.pools is not set in the home folder ${home}`,
    {
      hint: `${POOLS_EXAMPLE}\ndocs/adapters.md explains pools.`,
    },
  );
}

/** How pools are set. */
const POOLS_EXAMPLE = [
  'Name the folders of notes in loci.yaml:',
  '  adapters:',
  '    pools:',
  '      - id: notes',
  '        tier: hot',
  '        path: ~/notes',
  "or run `loci config set adapters.pools '[{id: notes, tier: hot, path: ~/notes}]'`.",
].join('\n');
