import type { MemoryAdapterStatus, MemoryPoolDefinition } from '../../../adapters/contract.ts';
import { messageOf } from '../../../core/errors.ts';
import { oneLine, toJson } from '../../shared/escape-control.ts';
import type { Io } from '../../shared/io.ts';
import type { RunStandalone } from '../../shared/run-standalone.ts';
import { hasColours, makeStyle } from '../format/style.ts';
import {
  assertHasPools,
  MAX_EMBEDDING_WAIT_MS,
  type PoolSession,
  READING,
  withPools,
} from './pool-session.ts';

/** Runs `loci adapters status`. */
export const adapterStatus: RunStandalone = (call, io) =>
  withPools(call, io, async (session) => {
    const problem = await session
      .waitFor(session.adapter.prepare(MAX_EMBEDDING_WAIT_MS))
      .then(() => null, messageOf);
    session.takeWarnings();
    const status = await session.adapter.status();
    // An adapter that cannot be opened says so itself.
    const isTold = problem === null || (status.message?.includes(problem) ?? false);
    const whole = isTold
      ? status
      : { ...status, ok: false, message: [problem, status.message ?? []].flat().join('\n') };
    return printStatus(session, whole, { json: call.json }, io);
  });

/** Runs `loci adapters index`, until everything has a vector, or is refused by the provider. */
export const indexPools: RunStandalone = (call, io) =>
  withPools(call, io, async (session) => {
    assertHasPools(session);
    await session.open();
    const { adapter } = session;
    let total = 0;
    await session.waitFor(adapter.prepare(0), async () => {
      const waiting = waitingIn(await adapter.status());
      total = Math.max(total, waiting);
      return total === 0 ? READING : { stage: 'embedding', subject: '', done: total - waiting, total };
    });
    return printStatus(session, await adapter.status(), { json: call.json }, io);
  });

/** How many texts have no vector yet. */
function waitingIn({ details }: MemoryAdapterStatus): number {
  const waiting = details?.['waiting'];
  return typeof waiting === 'number' ? waiting : 0;
}

/** Prints the status, and returns the exit code. */
function printStatus(
  { adapter, pools: { pools } }: PoolSession,
  status: MemoryAdapterStatus,
  { json }: { readonly json: boolean },
  io: Io,
): number {
  const { ok, message = '' } = status;
  if (json) io.stdout.write(`${toJson(status)}\n`);
  else {
    const style = makeStyle(hasColours(io.stdout, io.env));
    const rows = [
      ['adapter', adapter.id],
      ...(pools.length === 0 ? [['pools', 'none: docs/adapters.md says how to name them']] : []),
      ...pools.map((pool, i) => [
        i === 0 ? 'pools' : '',
        `${pool.id} (${pool.tier}), ${seersOf(pool)}: ${pool.folder}`,
      ]),
      ...detailRows(status),
    ];
    const lines = rows.map(([name = '', value = '']) => `${style.dim(name.padEnd(14))} ${oneLine(value)}`);
    const verdict = ok
      ? [style.good('No problems found.')]
      : message.split('\n').map((line) => style.bad(oneLine(line)));
    io.stdout.write(`${[...lines, ...verdict].join('\n')}\n`);
  }
  return ok ? 0 : 1;
}

/** What only this adapter says. */
function detailRows({ details = {} }: MemoryAdapterStatus): string[][] {
  return Object.entries(details)
    .filter(([name]) => name !== 'adapter' && name !== 'pools')
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
}

/** Who sees a pool, in words. */
function seersOf({ roles = [], agents = [] }: Pick<MemoryPoolDefinition, 'roles' | 'agents'>): string {
  const named = [...agents, ...roles.map((role) => `role ${role}`)];
  return named.length === 0 ? 'for all agents' : `for ${named.join(', ')}`;
}
