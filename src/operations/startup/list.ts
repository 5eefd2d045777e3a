import { z } from 'zod';
import { listStartupOutput } from '../../engine/startup/startup-fields.ts';
import { listStartup } from '../../engine/startup/startup.ts';
import type { Operation } from '../operation.ts';

const input = z.strictObject({});

export const listStartupOperation: Operation<typeof input, typeof listStartupOutput> = {
  name: 'startup-list',
  title: 'List startup entries',
  description:
    'Lists the entries of the startup text, which agents get when a session starts, in the order of the text.',
  input,
  output: listStartupOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [{ title: 'All entries', input: {} }],
  run: async (context) => listStartup(await context.loci()),
};
