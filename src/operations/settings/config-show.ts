import { z } from 'zod';
import { shownConfig } from '../../config/show.ts';
import type { Json } from '../../core/types.ts';
import type { Operation, OperationContext } from '../operation.ts';

export interface ConfigShowOutput {
  readonly home: string;
  readonly file: string;
  readonly settings: { readonly key: string; readonly value: Json; readonly origin: string }[];
  readonly warnings: string[];
}

export const configShow: Operation<Record<string, never>, ConfigShowOutput> = {
  name: 'config-show',
  title: 'Show the settings',
  description:
    'Lists every setting in force and whether it is a default, from loci.yaml or from the environment. Secrets are masked.',
  input: z.strictObject({}),
  output: z.strictObject({
    home: z.string(),
    file: z.string().describe('loci.yaml, whether it exists or not.'),
    settings: z.array(
      z.strictObject({
        key: z.string(),
        value: z.json(),
        origin: z.string().describe('`default`, `loci.yaml:12`, `env LOCI_SEARCH_LIMIT`.'),
      }),
    ),
    warnings: z.array(z.string()),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'Everything that is in force', input: {} }],
  run: runConfigShow,
};

async function runConfigShow(context: OperationContext): Promise<ConfigShowOutput> {
  const config = await context.loadConfig();
  return {
    home: config.home,
    file: config.file,
    settings: shownConfig(config).map(({ path, value, origin }) => ({ key: path, value, origin })),
    warnings: [...config.warnings],
  };
}
