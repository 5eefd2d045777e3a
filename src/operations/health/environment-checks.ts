import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { REQUIRED_NODE } from '../../core/runtime.ts';
import type { Check } from '../../engine/health/check.ts';
import type { OperationContext } from '../operation.ts';

/** Bytes. Below it the next index, and the backup before a migration, may not fit. */
const LITTLE_SPACE = 500_000_000;

/** What is around the store: the runtime, who may read the folder, room on the disk. */
export async function environmentChecks(context: OperationContext): Promise<Check[]> {
  const store = await context.loadConfig().then(
    ({ values }) => values.store.path,
    () => null,
  );
  const places = [context.home, ...(store === null ? [] : [store])];
  return [checkNode(), ...(await checkPrivacy(places)), await checkSpace(store ?? context.home)];
}

function checkNode(): Check {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= REQUIRED_NODE)
    return { name: 'node', result: 'ok', detail: `Node ${node}`, hint: null };
  return {
    name: 'node',
    result: 'failed',
    detail: `Node ${node}; Loci needs ${String(REQUIRED_NODE)}`,
    hint: `Run Loci with Node ${String(REQUIRED_NODE)} or newer.`,
  };
}

const OTHERS = 0o077;

/** Notes are private: others on the machine should not read them. Windows has no such bits. */
async function checkPrivacy(places: readonly string[]): Promise<Check[]> {
  if (process.platform === 'win32') return [];
  const there = (await Promise.all(places.map(accessOf))).filter((place) => place !== null);
  if (there.length === 0) return [];
  const open = there.filter(({ mode }) => (mode & OTHERS) !== 0);
  if (open.length === 0) {
    const detail = `${there.map(({ path }) => path).join(' and ')} ${there.length === 1 ? 'is' : 'are'} yours alone`;
    return [{ name: 'privacy', result: 'ok', detail, hint: null }];
  }
  const details = open.map(
    ({ path, mode }) =>
      `others on this machine may have access to ${path} (mode ${mode.toString(8).padStart(3, '0')})`,
  );
  const mend = open.map(({ path, wanted }) => `chmod ${wanted} ${JSON.stringify(path)}`);
  return [
    { name: 'privacy', result: 'warning', detail: details.join('\n'), hint: `Run: ${mend.join(' && ')}` },
  ];
}

interface Access {
  readonly path: string;
  readonly mode: number;
  /** The mode that it should have. */
  readonly wanted: string;
}

async function accessOf(path: string): Promise<Access | null> {
  const found = await stat(path).catch(() => null);
  return found === null
    ? null
    : { path, mode: found.mode & 0o777, wanted: found.isDirectory() ? '700' : '600' };
}

async function checkSpace(path: string): Promise<Check> {
  try {
    const { bavail, bsize } = await statfs(await nearestFolder(path));
    const free = bavail * bsize;
    const detail = `${(free / 1e9).toFixed(1)} GB free`;
    if (free >= LITTLE_SPACE) return { name: 'disk', result: 'ok', detail, hint: null };
    return { name: 'disk', result: 'warning', detail, hint: 'Free some disk space before you index more.' };
  } catch (error) {
    return {
      name: 'disk',
      result: 'warning',
      detail: `free space is unknown: ${describeFileError(error)}`,
      hint: null,
    };
  }
}

/** The folder, or the first above it that exists. */
async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found !== null || dirname(path) === path) return path;
  return nearestFolder(dirname(path));
}
