import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { LoadedConfig } from '../../config/load.ts';
import { isKeyItself, KEY_SETTINGS } from '../../config/secrets.ts';
import { LociError, messageOf } from '../../core/errors.ts';
import { type Check, doctorOutput } from '../../engine/health/check.ts';
import { environmentChecks } from './environment-checks.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { doctor } from '../../engine/health/doctor.ts';

const input = z.strictObject({});

export const doctorOperation: Operation<typeof input, typeof doctorOutput> = {
  name: 'doctor',
  title: 'Check health',
  description:
    'Checks the runtime, the settings, permissions, disk space, the store and its indexes, the audit log, the embedding ' +
    'provider, and each vault with every note, and says what to do about each problem. Changes nothing.',
  input,
  output: doctorOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
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
};

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
