import type { MemoryAdapterStatus, MemoryPoolDefinition } from '../../../adapters/contract.ts';
import { messageOf } from '../../../core/errors.ts';
import { oneLine, toJson } from '../../shared/escape-control.ts';
import type { Io } from '../../shared/io.ts';
import type { StandaloneCall } from '../../shared/run-standalone.ts';
import { keyValues, type Row } from '../format/output-text.ts';
import { hasColours, makeStyle } from '../format/style.ts';
import { type PoolSession, prepare } from './pool-session.ts';

/** Shows the pools, what the adapter has of them, and what is wrong. Returns the exit code. */
export async function poolStatus(session: PoolSession, call: StandaloneCall, io: Io): Promise<number> {
  const problem = await prepare(session, call).then(() => null, messageOf);
  session.takeWarnings();
  const status = await session.adapter.status();
  // An adapter that cannot be opened says so itself.
  const isTold = problem === null || (status.message?.includes(problem) ?? false);
  const whole = isTold
    ? status
    : { ...status, ok: false, message: [problem, status.message ?? []].flat().join('\n') };
  return printStatus(session, whole, { json: call.json }, io);
}

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
    const rows: Row[] = [
      ['adapter', adapter.id],
      ...(pools.length === 0 ? [['pools', 'none: docs/adapters.md says how to name them'] as const] : []),
      ...pools.map((pool, i): Row => [
        i === 0 ? 'pools' : '',
        `${pool.id} (${pool.tier}), ${seersOf(pool)}: ${pool.folder}`,
      ]),
      ...detailRows(status),
    ];
    const verdict = ok
      ? [style.good('No problems found.')]
      : message.split('\n').map((line) => style.bad(oneLine(line)));
    io.stdout.write(`${keyValues(rows, { style })}${verdict.join('\n')}\n`);
  }
  return ok ? 0 : 1;
}

/** What only this adapter says. */
function detailRows({ details = {} }: MemoryAdapterStatus): Row[] {
  return Object.entries(details)
    .filter(([name]) => name !== 'adapter' && name !== 'pools')
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
}

/** Who sees a pool, in words. */
function seersOf({ roles = [], agents = [] }: Pick<MemoryPoolDefinition, 'roles' | 'agents'>): string {
  const named = [...agents, ...roles.map((role) => `role ${role}`)];
  return named.length === 0 ? 'for all agents' : `for ${named.join(', ')}`;
}
