import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { startupEntry, startupEntryOf, type StartupEntryOutput } from './startup-fields.ts';

export interface StartupListOutput {
  readonly entries: StartupEntryOutput[];
}

export const startupList: Operation<Record<string, never>, StartupListOutput> = {
  name: 'startup-list',
  title: 'List startup entries',
  description: 'Lists what agents are told before they begin, in the order in which it is told.',
  input: z.strictObject({}),
  output: z.strictObject({ entries: z.array(startupEntry) }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  examples: [{ title: 'All of them', input: {} }],
  run: async (context: OperationContext): Promise<StartupListOutput> => {
    const loci = await context.loci();
    return { entries: (await loci.startup.list()).map(startupEntryOf) };
  },
};
