import { listNamespaces, namespacesOutput } from '../../engine/health/status.ts';
import {
  createToken,
  createTokenInput,
  createTokenOutput,
  listTokens,
  listTokensOutput,
  revokeToken,
  revokeTokenInput,
  tokenOutput,
} from '../../engine/access/tokens.ts';
import {
  deleteNamespace,
  deleteNamespaceInput,
  deleteNamespaceOutput,
} from '../../engine/access/delete-namespace.ts';
import { setQuota, setQuotaInput, setQuotaOutput } from '../../engine/access/quotas.ts';
import { operation, withNames } from '../operation.ts';

export const accessOperations = withNames({
  namespaces: operation({
    description:
      'Lists the namespaces of the store, each the memory of one caller, with the number of its records.',
    output: namespacesOutput,
    kind: 'read',
    scope: 'operator',
    local: true,
    onPage: true,
    examples: [{ title: 'All namespaces', input: {} }],
    run: async (context) => listNamespaces(await context.loci()),
  }),
  'delete-namespace': operation({
    description:
      'Deletes a namespace for ever, with its records, vectors, receipts, audit log and tokens, on every server of the store. It goes ' +
      'on where it was stopped. An entry in the audit log of the store remains, and refuses writes of processes that still have the ' +
      'namespace in their settings. `export` keeps a copy.',
    input: deleteNamespaceInput,
    output: deleteNamespaceOutput,
    kind: 'destroy',
    scope: 'operator',
    notForAgents: true,
    steps: true,
    examples: [
      { title: 'What would be deleted', input: { namespace: 'alice', dry_run: true } },
      { title: 'Delete it', input: { namespace: 'alice', confirm: 'alice' } },
    ],
    run: async (context, given) => {
      const { signal, onProgress, machine } = context;
      const options = { signal, onProgress, isRemote: machine === undefined };
      return deleteNamespace(await context.loci(), given, options);
    },
  }),
  'set-quota': operation({
    description:
      'Limits the records and bytes that a namespace may keep, and the requests a minute of its tokens. The limits hold for all servers ' +
      'of the store together. `status` shows each caller its own.',
    input: setQuotaInput,
    output: setQuotaOutput,
    kind: 'write',
    scope: 'operator',
    notForAgents: true,
    examples: [
      {
        title: 'At most 10,000 records and 60 requests a minute',
        input: { namespace: 'alice', records: 10_000, requests_per_minute: 60 },
      },
      { title: 'No limit of records any more', input: { namespace: 'alice', records: 0 } },
    ],
    run: async (context, given) => setQuota(await context.loci(), given),
  }),
  'token-create': operation({
    description:
      'Creates a token that gives access to a memory over HTTP, by REST or MCP. It is shown once; Loci stores only its ' +
      'hash. Give each program a token of its own, so that each can be revoked separately.',
    input: createTokenInput,
    output: createTokenOutput,
    kind: 'write',
    scope: 'admin',
    local: true,
    examples: [
      {
        title: 'A token for Alice’s laptop that is valid for three months',
        input: { subject: 'alice', scopes: ['read', 'write'], expires: '90d', name: 'laptop' },
      },
      { title: 'A token that only reads', input: { subject: 'alice', name: 'dashboard' } },
    ],
    run: async (context, given) => createToken(await context.loci({ create: true }), given),
  }),
  'token-list': operation({
    description:
      'Lists every token that was created, oldest first, with its subject, its scopes and its expiry.',
    output: listTokensOutput,
    kind: 'read',
    scope: 'admin',
    local: true,
    onPage: true,
    examples: [{ title: 'All tokens', input: {} }],
    run: async (context) => listTokens(await context.loci()),
  }),
  'token-revoke': operation({
    description: 'Revokes a token permanently. A running server refuses it after at most one second.',
    input: revokeTokenInput,
    output: tokenOutput,
    kind: 'destroy',
    scope: 'admin',
    local: true,
    onPage: true,
    examples: [{ title: 'The laptop is lost', input: { token: 'laptop' } }],
    run: async (context, given) => revokeToken(await context.loci(), given),
  }),
});
