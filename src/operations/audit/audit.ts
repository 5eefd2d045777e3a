import { audit, auditInput, auditOutput } from '../../engine/audit/read-audit.ts';
import type { Operation } from '../operation.ts';
import { lociIn, namespaceField } from '../shared/in-namespace.ts';

const input = auditInput.extend({ namespace: namespaceField() });

export const auditOperation: Operation<typeof input, typeof auditOutput> = {
  name: 'audit',
  title: 'Show the audit log',
  description:
    'Lists every write, newest first: who made it, when, through which surface, and what it changed. The log is ' +
    'append-only; `verify`, and `doctor` for all namespaces, detect where it was truncated or changed.',
  input,
  output: auditOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  localFields: ['namespace'],
  examples: [
    { title: 'The latest entries', input: { limit: 10 } },
    { title: 'The history of a record', input: { record: 2 } },
    { title: 'The log of an agent of OpenClaw', input: { namespace: 'agent:main' } },
    { title: 'What agents have done since yesterday', input: { surface: 'mcp', from: 'yesterday' } },
  ],
  run: async (context, { namespace, ...given }) => audit(await lociIn(context, namespace), given),
};
