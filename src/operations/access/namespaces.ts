import { z } from 'zod';
import { listNamespaces, namespacesOutput } from '../../engine/health/status.ts';
import type { Operation } from '../operation.ts';

const input = z.strictObject({});

export const namespacesOperation: Operation<typeof input, typeof namespacesOutput> = {
  name: 'namespaces',
  title: 'List namespaces',
  description:
    'Lists the namespaces of the store, each the memory of one caller, with the number of its records.',
  input,
  output: namespacesOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'operator',
  local: true,
  onPage: true,
  examples: [{ title: 'All namespaces', input: {} }],
  run: async (context) => listNamespaces(await context.loci()),
};
