import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { REQUIRED_NODE } from '../../core/runtime.ts';
import { locateStore } from '../../store/registry.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { isKeyItself, KEY_SETTINGS } from '../../config/secrets.ts';
import { LociError, messageOf } from '../../core/errors.ts';
import { type Check, doctorOutput } from '../../engine/health/check.ts';
import { operation, type OperationContext, withNames } from '../operation.ts';
import { doctor } from '../../engine/health/doctor.ts';

export const doctorOperations = withNames({
  doctor: operation({
    description:
      'Checks the runtime, the settings, permissions, disk space, the store and its indexes, the audit log, the embedding ' +
      'provider, and each vault with every note, and says what to do about each problem. Changes nothing.',
    output: doctorOutput,
    kind: 'read',
    scope: 'operator',
    examples: [{ title: 'All checks', input: {} }],
    run: async (context) => {
      const checks = [...(await environmentChecks(context)), ...(await configChecks(context))];
      // The settings name the store.
      if (!checks.some(({ name, result }) => name === 'settings' && result === 'failed')) {
        checks.push(...(await engineChecks(context)));
      }
      return { healthy: checks.every(({ result }) => result !== 'failed'), checks };
    },
  }),
});

async function configChecks(context: OperationContext): Promise<Check[]> {
  try {
    const config = await context.loadConfig();
    const warnings = config.warnings.map((detail): Check => ({
      name: 'settings',
      result: 'warning',
      detail,
      hint: null,
    }));
    return [
      { name: 'settings', result: 'ok', detail: describeSettings(config), hint: null },
      ...warnings,
      ...keyWarnings(config),
    ];
  } catch (error) {
    return [failed('settings', error)];
  }
}

/** Keys that are in the settings file themselves, which may be copied or shared. */
function keyWarnings({ written, origins }: LoadedConfig): Check[] {
  return KEY_SETTINGS.flatMap((path) => {
    const origin = origins.get(path) ?? 'default';
    if (origin.startsWith('env ') || !isKeyItself(path, written.get(path) ?? null)) return [];
    return [
      {
        name: 'settings',
        result: 'warning',
        detail: `${origin}: ${path} is a key in the clear`,
        hint: `Put it into a variable, and name that: \`loci config set ${path} env:NAME\`.`,
      },
    ];
  });
}

/** The settings file, if it exists, and the environment variables that override it. */
function describeSettings({ file, origins }: LoadedConfig): string {
  const variables = new Set([...origins.values()].filter((origin) => origin.startsWith('env ')));
  const names = [...variables].map((origin) => origin.slice('env '.length)).join(', ');
  if (existsSync(file)) return names === '' ? file : `${file}, overridden by ${names}`;
  return `there is no ${file}: the defaults apply${names === '' ? '' : `, except ${names}`}`;
}

async function engineChecks(context: OperationContext): Promise<Check[]> {
  try {
    const loci = await context.loci();
    const { signal, onProgress } = context;
    const checks = await doctor(loci, { signal, onProgress });
    const { settingsProblem: detail } = loci;
    return detail === null
      ? checks
      : [{ name: 'settings', result: 'warning', detail, hint: null }, ...checks];
  } catch (error) {
    if (error instanceof LociError && error.code === 'aborted') throw error;
    return [failed('store', error)];
  }
}

function failed(name: string, error: unknown): Check {
  return {
    name,
    result: 'failed',
    detail: messageOf(error),
    hint: error instanceof LociError ? error.hint : null,
  };
}

/** With less, the next index or the backup before a migration may not fit. */
const MIN_FREE_BYTES = 500_000_000;

/** Checks the version of Node, who may read the files, and the free space. */
async function environmentChecks(context: OperationContext): Promise<Check[]> {
  const store = await context.loadConfig().then(
    ({ values }) => locateStore(values.store).file,
    () => null,
  );
  const paths = [context.home, ...(store === null ? [] : [store])];
  return [checkNode(), ...(await checkPrivacy(paths)), await checkSpace(store ?? context.home)];
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

/** The permission bits of group and others. */
const OTHERS = 0o077;

/** Notes are private: other users of the machine should not read them. Windows has no such bits. */
async function checkPrivacy(paths: readonly string[]): Promise<Check[]> {
  if (process.platform === 'win32') return [];
  const existing = (await Promise.all(paths.map(readMode))).filter((entry) => entry !== null);
  if (existing.length === 0) return [];
  const open = existing.filter(({ mode }) => (mode & OTHERS) !== 0);
  if (open.length === 0) {
    const detail = `only you can read ${existing.map(({ path }) => path).join(' and ')}`;
    return [{ name: 'privacy', result: 'ok', detail, hint: null }];
  }
  const details = open.map(
    ({ path, mode }) =>
      `other users of this machine may have access to ${path} (mode ${mode.toString(8).padStart(3, '0')})`,
  );
  const commands = open.map(({ path, wanted }) => `chmod ${wanted} ${JSON.stringify(path)}`);
  return [
    { name: 'privacy', result: 'warning', detail: details.join('\n'), hint: `Run: ${commands.join(' && ')}` },
  ];
}

interface FileMode {
  readonly path: string;
  readonly mode: number;
  /** The mode that it should have, in octal. */
  readonly wanted: string;
}

async function readMode(path: string): Promise<FileMode | null> {
  const found = await stat(path).catch(() => null);
  return found === null
    ? null
    : { path, mode: found.mode & 0o777, wanted: found.isDirectory() ? '700' : '600' };
}

async function checkSpace(path: string): Promise<Check> {
  try {
    const { bavail, bsize } = await statfs(await nearestExisting(path));
    const free = bavail * bsize;
    const detail = `${(free / 1e9).toFixed(1)} GB free`;
    if (free >= MIN_FREE_BYTES) return { name: 'disk', result: 'ok', detail, hint: null };
    return { name: 'disk', result: 'warning', detail, hint: 'Free some disk space before you index more.' };
  } catch (error) {
    return {
      name: 'disk',
      result: 'warning',
      detail: `the free space is unknown: ${describeFileError(error)}`,
      hint: null,
    };
  }
}

/** The path, or the nearest folder above it that exists. */
async function nearestExisting(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found !== null || dirname(path) === path) return path;
  return nearestExisting(dirname(path));
}
