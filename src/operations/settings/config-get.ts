import { z } from 'zod';
import { configGet as settingInForce } from '../../config/show.ts';
import type { Json } from '../../core/types.ts';
import type { Operation, OperationContext } from '../operation.ts';

export interface ConfigGetInput {
  readonly key: string;
}

export interface ConfigGetOutput {
  readonly key: string;
  readonly value: Json;
  readonly origin: string;
}

export const configGet: Operation<ConfigGetInput, ConfigGetOutput> = {
  name: 'config-get',
  title: 'Get a setting',
  description: 'Tells one setting in force, unmasked, and where it came from.',
  input: z.strictObject({ key: z.string().min(1).describe('Path of the setting, such as `search.limit`.') }),
  output: z.strictObject({
    key: z.string(),
    value: z.json(),
    origin: z.string().describe('`default`, `loci.yaml:12`, `env LOCI_SEARCH_LIMIT`.'),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'How many results a search returns', input: { key: 'search.limit' } }],
  run: runConfigGet,
};

async function runConfigGet(context: OperationContext, { key }: ConfigGetInput): Promise<ConfigGetOutput> {
  const { value, origin } = settingInForce(await context.loadConfig(), key);
  return { key, value, origin };
}
