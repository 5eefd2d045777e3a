import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { LociError } from '../../core/errors.ts';
import type { Fence } from '../../store/model.ts';
import type { EngineContext } from '../context.ts';

/** A process that has not renewed its lease for this long counts as dead. */
const LEASE_DURATION_MS = 10_000;
const RENEWAL_INTERVAL_MS = 3000;
const POLL_INTERVAL_MS = 250;

/** A lease of a namespace, or of the whole store in the administrative namespace. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

export interface LeaseOptions {
  /** Waits until the lease is free. Otherwise a lease that another process has is a `conflict`. */
  readonly wait?: boolean;
  /** Takes the lease from its holder, whose work is stopped and whose writes are refused. */
  readonly takeOver?: boolean;
  /** Called repeatedly while another process has the lease, with the name of that process as `holderName` gives it. */
  readonly onWait?: (process: string) => void;
  readonly onAcquired?: () => void;
  /** What other processes can read with `leaseHolder`: letters, digits, `-`. */
  readonly note?: string;
  readonly signal?: AbortSignal;
}

/**
 * Does work that only one process may do at a time. The lease is renewed meanwhile. When it is lost, the signal passed to `work`
 * fires, and the store refuses writes with its token.
 * @throws LociError `conflict` when another process has the lease; `aborted`; what `work` throws
 */
export async function withLease<Result>(
  context: EngineContext,
  { namespace, name }: LeaseName,
  work: (lease: Fence, signal: AbortSignal) => Promise<Result>,
  { wait = false, takeOver = false, onWait, onAcquired, note, signal }: LeaseOptions = {},
): Promise<Result> {
  const { store, now } = context;
  const id = note === undefined ? randomUUID() : `${randomUUID()};${note}`;
  const holder = `${String(process.pid)}@${hostname()}/${id}`;
  const acquire = async (takesOver: boolean): Promise<number | null> => {
    const request = { name, holder, now: now(), until: now() + LEASE_DURATION_MS, takesOver };
    const lease = await store.admin.lease(namespace, request);
    return lease?.holder === holder ? lease.token : null;
  };
  let token = await acquire(takeOver);
  while (token === null) {
    const other = await leaseProcess(context, { namespace, name }, true);
    if (!wait) throw inUse(name, other);
    onWait?.(other ?? ANOTHER_PROCESS);
    await delay(POLL_INTERVAL_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {
      throw new LociError('aborted', `waiting for ${name} was stopped`);
    });
    token = await acquire(false);
  }
  const lost = new AbortController();
  const renewal = setInterval(() => {
    // A renewal that fails is retried at the next interval. The token protects the store in any case.
    acquire(false).then(
      (renewed) => renewed !== token && lost.abort(inUse(name, null)),
      () => undefined,
    );
  }, RENEWAL_INTERVAL_MS).unref();
  try {
    onAcquired?.();
    const signals = signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]);
    return await work({ lease: name, token }, signals);
  } finally {
    clearInterval(renewal);
    await store.admin.lease(namespace, { name, releasedBy: holder });
  }
}

/** Like `withLease`, but does nothing while another process has the lease. */
export async function withFreeLease(
  context: EngineContext,
  name: LeaseName,
  work: (lease: Fence, signal: AbortSignal) => Promise<unknown>,
  options: Pick<LeaseOptions, 'signal'>,
): Promise<void> {
  try {
    await withLease(context, name, work, options);
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'conflict') throw error;
  }
}

/** Who has a lease. */
interface LeaseHolder {
  /** As `holderName` gives it; `null` if the lease is free, or if the process was killed. */
  readonly process: string | null;
  /** `null` without one. */
  readonly note: string | null;
}

/** @param withKilled also a process that was killed, whose lease nobody can take before it expires */
export async function leaseHolder(
  { store, now }: EngineContext,
  { namespace, name }: LeaseName,
  withKilled = false,
): Promise<LeaseHolder> {
  const lease = await store.admin.lease(namespace, { name, at: now() });
  return {
    process: lease === null || (!withKilled && isDead(lease.holder)) ? null : holderName(lease.holder),
    note: lease?.holder.split(';').at(1) ?? null,
  };
}

/** The process that has a lease: see `leaseHolder`. */
export async function leaseProcess(
  context: EngineContext,
  name: LeaseName,
  withKilled = false,
): Promise<string | null> {
  return (await leaseHolder(context, name, withKilled)).process;
}

const ANOTHER_PROCESS = 'another process';

const HOLDER = /^(\d+)@(.*)\/[\w-]+(?:;[\w-]+)?$/;

/** Whether the holder was a process of this machine, and was killed. Its lease has not expired yet. */
function isDead(holder: string): boolean {
  const [, pid, host] = HOLDER.exec(holder) ?? [];
  if (pid === undefined || host !== hostname()) return false;
  try {
    return !process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** `process 4711`, or `process 4711 on HOST` on another machine. */
function holderName(holder: string): string {
  const [, pid, host] = HOLDER.exec(holder) ?? [];
  if (pid === undefined || host === undefined) return ANOTHER_PROCESS;
  return host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
}

function inUse(name: string, process: string | null): LociError {
  return new LociError('conflict', `${process ?? ANOTHER_PROCESS} is working on ${name}`, {
    hint: 'Try again in a moment.',
  });
}
