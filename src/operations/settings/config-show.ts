import { z } from 'zod';
import { effectiveSettings } from '../../config/load.ts';
import { printedSetting } from './printed-setting.ts';
import type { Operation } from '../operation.ts';

const input = z.strictObject({});

const output = z.strictObject({
  home: z.string(),
  file: z.string().describe('The path of loci.yaml, which may not exist.'),
  settings: z.array(
    z.strictObject({
      key: z.string(),
      value: z.json(),
      origin: z.string().describe('`default`, `loci.yaml:12` or `env LOCI_SEARCH_LIMIT`.'),
    }),
  ),
  warnings: z.array(z.string()).describe('Keys and variables that are ignored, or have another name now.'),
});

export type ConfigShowOutput = z.infer<typeof output>;

export const configShowOperation: Operation<typeof input, typeof output> = {
  name: 'config-show',
  title: 'Show the settings',
  description:
    'Lists every effective setting, and whether it is a default or comes from loci.yaml or the environment. Secrets are masked.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'All effective settings', input: {} }],
  run: async (context) => {
    const config = await context.loadConfig();
    return {
      home: config.home,
      file: config.file,
      settings: await Promise.all(
        effectiveSettings(config).map(async ({ path, value, origin }) => ({
          key: path,
          value: await printedSetting(path, value),
          origin,
        })),
      ),
      warnings: [...config.warnings],
    };
  },
};
