import { stat } from 'node:fs/promises';
import { z } from 'zod';
import type { LoadedConfig } from '../../config/load.ts';
import { LociError, messageOf } from '../../core/errors.ts';
import type { Check } from '../../engine/health/check.ts';
import { environmentChecks } from './environment-checks.ts';
import type { Operation, OperationContext } from '../operation.ts';

export interface DoctorOutput {
  readonly healthy: boolean;
  readonly checks: Check[];
}

export const doctor: Operation<Record<string, never>, DoctorOutput> = {
  name: 'doctor',
  title: 'Check health',
  description:
    'Looks at everything that can be wrong – the runtime, the settings, permissions, disk space, the store and its ' +
    'indexes, the embedding provider, each vault and every note of it – and says what to do. Changes nothing.',
  input: z.strictObject({}),
  output: z.strictObject({
    healthy: z.boolean().describe('No check failed; warnings do not count.'),
    checks: z.array(
      z.strictObject({
        name: z.string(),
        result: z.enum(['ok', 'warning', 'failed']),
        detail: z.string(),
        hint: z.string().nullable().describe('What to do next.'),
      }),
    ),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [{ title: 'Is everything well?', input: {} }],
  run: runDoctor,
};

async function runDoctor(context: OperationContext): Promise<DoctorOutput> {
  const checks = [...(await environmentChecks(context)), ...(await configChecks(context))];
  // Without settings nobody knows where the store is.
  if (!checks.some(({ name, result }) => name === 'settings' && result === 'failed')) {
    checks.push(...(await engineChecks(context)));
  }
  return { healthy: checks.every(({ result }) => result !== 'failed'), checks };
}

async function configChecks(context: OperationContext): Promise<Check[]> {
  try {
    const config = await context.loadConfig();
    const warnings = config.warnings.map((detail): Check => ({
      name: 'settings',
      result: 'warning',
      detail,
      hint: null,
    }));
    return [{ name: 'settings', result: 'ok', detail: await settingsIn(config), hint: null }, ...warnings];
  } catch (error) {
    return [failed('settings', error)];
  }
}

/** The file, and what there is instead or beside it. */
async function settingsIn({ file, origins }: LoadedConfig): Promise<string> {
  const variables = new Set([...origins.values()].filter((origin) => origin.startsWith('env ')));
  const names = [...variables].map((origin) => origin.slice('env '.length)).join(', ');
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (isThere) return names === '' ? file : `${file}, and ${names}`;
  return `there is no ${file}: the defaults are in force${names === '' ? '' : `, but for ${names}`}`;
}

async function engineChecks(context: OperationContext): Promise<Check[]> {
  try {
    const loci = await context.loci();
    return await loci.doctor();
  } catch (error) {
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
