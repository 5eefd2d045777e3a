import { z } from 'zod';
import { configSet as writeSetting } from '../../config/edit.ts';
import { isKeyItself } from '../../config/secrets.ts';
import { LociError } from '../../core/errors.ts';
import type { Json } from '../../core/types.ts';
import { detectSecrets } from '../../secrets/detect.ts';
import { printedSetting } from './printed-setting.ts';
import type { Operation } from '../operation.ts';
import { filterValue } from '../../engine/fields/record-fields.ts';

const input = z.strictObject({
  key: filterValue().describe('Path of the setting, such as `search.limit`.'),
  value: z
    .json()
    .describe(
      'The new value. A text is read as a shell gives it: `20`, `true`, `5s`, a list as YAML or JSON.',
    ),
});

const output = z.strictObject({
  key: z.string(),
  value: z.json().describe('The value in the file. Secrets are masked.'),
  origin: z.string().describe('The line of the setting: `loci.yaml:12`.'),
  file: z.string(),
  in_clear: z
    .boolean()
    .describe(
      'Whether the value is a key itself, which is now in the file, and not the place of one: `env:NAME`.',
    ),
  overridden_by: z.string().nullable().describe('An environment variable that overrides the new value.'),
});

export type ConfigSetOutput = z.infer<typeof output>;

export const configSetOperation: Operation<typeof input, typeof output> = {
  name: 'config-set',
  title: 'Change a setting',
  description:
    'Writes one setting into loci.yaml, and keeps its comments and everything else. A wrong value is refused, and ' +
    'nothing is written.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [
    { title: 'Five results a search', input: { key: 'search.limit', value: '5' } },
    { title: 'Search by text and recency only', input: { key: 'embedding.provider', value: 'none' } },
  ],
  run: async (context, { key, value }) => {
    const change = await writeSetting(key, value, context).catch(async (error: unknown) => {
      // The message repeats the value.
      if (!(error instanceof LociError) || !(await hasCredential(value))) throw error;
      throw new LociError(
        error.code,
        `${key}: the given value is not valid; it has a credential and is not repeated`,
        {
          hint: `docs/configuration.md says what ${key} takes.`,
        },
      );
    });
    return {
      key: change.path,
      value: await printedSetting(change.path, change.value),
      in_clear: isKeyItself(change.path, change.value),
      origin: change.origin,
      file: change.file,
      overridden_by: change.overriddenBy ?? null,
    };
  },
};

async function hasCredential(value: Json): Promise<boolean> {
  return (await detectSecrets(typeof value === 'string' ? value : JSON.stringify(value))).length > 0;
}
