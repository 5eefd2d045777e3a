import { z } from 'zod';
import { configSet as writeSetting } from '../../config/edit.ts';
import type { Json } from '../../core/types.ts';
import type { Operation, OperationContext } from '../operation.ts';

export interface ConfigSetInput {
  readonly key: string;
  readonly value: Json;
}

export interface ConfigSetOutput {
  readonly key: string;
  readonly value: Json;
  readonly origin: string;
  readonly file: string;
  readonly overridden_by: string | null;
}

export const configSet: Operation<ConfigSetInput, ConfigSetOutput> = {
  name: 'config-set',
  title: 'Change a setting',
  description:
    'Writes one setting into loci.yaml and keeps its comments and everything else. A wrong value is refused and ' +
    'nothing is written.',
  input: z.strictObject({
    key: z.string().min(1).describe('Path of the setting, such as `search.limit`.'),
    value: z
      .json()
      .describe(
        'The new value; as text it is read as a shell gives it: `20`, `true`, `5s`, a list as YAML or JSON.',
      ),
  }),
  output: z.strictObject({
    key: z.string(),
    value: z.json().describe('As it now stands in the file.'),
    origin: z.string().describe('Where it stands: `loci.yaml:12`.'),
    file: z.string(),
    overridden_by: z.string().nullable().describe('A variable of the environment that hides the new value.'),
  }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [
    { title: 'Five results a search', input: { key: 'search.limit', value: '5' } },
    { title: 'Search by text and recency alone', input: { key: 'embedding.provider', value: 'none' } },
  ],
  run: runConfigSet,
};

async function runConfigSet(
  context: OperationContext,
  { key, value }: ConfigSetInput,
): Promise<ConfigSetOutput> {
  const change = await writeSetting(key, value, context);
  return {
    key: change.path,
    value: change.value,
    origin: change.origin,
    file: change.file,
    overridden_by: change.overriddenBy ?? null,
  };
}
