import { z } from 'zod';
import { effectiveSetting } from '../../config/load.ts';
import type { Operation } from '../operation.ts';
import { printedSetting } from './printed-setting.ts';
import { filterValue } from '../../engine/fields/record-fields.ts';

const input = z.strictObject({
  key: filterValue().describe('Path of the setting, such as `search.limit`.'),
});

const output = z.strictObject({
  key: z.string(),
  value: z.json(),
  origin: z.string().describe('`default`, `loci.yaml:12` or `env LOCI_SEARCH_LIMIT`.'),
});

export type ConfigGetOutput = z.infer<typeof output>;

export const configGetOperation: Operation<typeof input, typeof output> = {
  name: 'config-get',
  title: 'Get a setting',
  description: 'Returns one effective setting, and where it comes from. Secrets are masked.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'How many results a search returns', input: { key: 'search.limit' } }],
  run: async (context, { key }) => {
    const { value, origin } = effectiveSetting(await context.loadConfig(), key);
    return { key, value: await printedSetting(key, value), origin };
  },
};
