import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { formatStartupEntry, startupEntry } from './startup-fields.ts';
import { listStartup } from '../../engine/startup/startup.ts';

const input = z.strictObject({});
const output = z.strictObject({ entries: z.array(startupEntry) });
export type StartupListOutput = z.infer<typeof output>;

export const listStartupOperation: Operation<typeof input, typeof output> = {
  name: 'startup-list',
  title: 'List startup entries',
  description:
    'Lists the entries of the startup text, which agents get when a session starts, in the order of the text.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [{ title: 'All entries', input: {} }],
  run: async (context) => {
    const loci = await context.loci();
    return { entries: (await listStartup(loci)).map(formatStartupEntry) };
  },
};
