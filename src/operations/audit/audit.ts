import { audit, auditInput, auditOutput } from '../../engine/audit/read-audit.ts';
import type { Operation } from '../operation.ts';

export const auditOperation: Operation<typeof auditInput, typeof auditOutput> = {
  name: 'audit',
  title: 'Show the audit log',
  description:
    'Lists every write, newest first: who made it, when, through which surface, and what it changed. The log is ' +
    'append-only; `doctor` detects where it was truncated or changed.',
  input: auditInput,
  output: auditOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [
    { title: 'The latest entries', input: { limit: 10 } },
    { title: 'The history of a record', input: { record: 2 } },
    { title: 'What agents have done since yesterday', input: { surface: 'mcp', from: 'yesterday' } },
  ],
  run: async (context, given) => audit(await context.loci(), given),
};
