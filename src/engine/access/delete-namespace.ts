import { z } from 'zod';
import { isSubject } from '../../core/caller.ts';
import { LociError } from '../../core/errors.ts';
import { count } from '../../core/number-fields.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import type { NamespaceRows, RemovalPlace, RemovalStep } from '../../store/admin-model.ts';
import type { EngineContext } from '../context.ts';

/** Rows that are removed in one transaction. */
const ROWS_AT_ONCE = 5000;
/** How long one call of a remote caller goes on. The deadline of a request is longer. */
const MAX_REMOTE_MS = 15_000;

export const deleteNamespaceInput = z.strictObject({
  namespace: z
    .string()
    .max(128)
    .refine(isSubject, 'the name of a namespace')
    .describe('The namespace to delete: the memory of one subject.'),
  confirm: z
    .string()
    .max(128)
    .exactOptional()
    .describe('The name of the namespace once more. Nothing is deleted without it.'),
  dry_run: z.boolean().exactOptional().describe('Only count what would be deleted.'),
});

export const deleteNamespaceOutput = z.strictObject({
  namespace: z.string(),
  dry_run: z.boolean(),
  records: count().describe('Records that were found before this call, deleted ones included.'),
  audit_entries: count().describe('Entries of its audit log.'),
  tokens: count().describe('Tokens and sessions of the web page that open it.'),
  rows: count().describe('All rows of the store that belong to it.'),
  deleted: count().describe('Rows that this call deleted.'),
  finished: z.boolean().describe('Whether nothing is left. Otherwise, the same call goes on.'),
});
export type DeleteNamespaceOutput = z.infer<typeof deleteNamespaceOutput>;

/**
 * Deletes a namespace with everything that belongs to it, in batches. Its tokens are refused and nothing can be written to it from the
 * first batch on. A call that was stopped is continued by the next one. The audit log of the administrative namespace keeps an entry.
 * @param isRemote ends after some seconds, so that no request takes too long
 * @throws LociError `not_found`, `invalid_input` without the confirmation and for the namespace of the settings or of the caller, `aborted`
 */
export async function deleteNamespace(
  context: EngineContext,
  { namespace, confirm, dry_run = false }: z.infer<typeof deleteNamespaceInput>,
  { isRemote, ...options }: ProgressOptions & { readonly isRemote: boolean },
): Promise<DeleteNamespaceOutput> {
  const { store, caller, now } = context;
  assertDeletable(context, namespace);
  const found = await store.admin.namespaceRows(namespace);
  if (found === null)
    throw new LociError('not_found', `there is no namespace ${JSON.stringify(namespace)}`, {
      hint: '`loci status namespaces` lists them.',
    });
  const before = figuresOf(found);
  const report = { namespace, dry_run, ...before };
  if (dry_run) return { ...report, deleted: 0, finished: false };
  if (confirm !== namespace)
    throw new LociError(
      'invalid_input',
      `confirm must be ${JSON.stringify(namespace)}, the name of the namespace; ${String(before.records)} records would be deleted for ever`,
      { hint: '`--confirm NAME` deletes it, and `--dry-run` says what would be deleted.' },
    );
  const { actor, surface, session } = caller;
  const by = { at: now(), actor, surface, ...(session !== undefined && { session }) };
  const started = performance.now();
  let deleted = 0;
  let after: RemovalPlace | null = null;
  do {
    assertNotAborted(options);
    if (isRemote && performance.now() - started > MAX_REMOTE_MS)
      return { ...report, deleted, finished: false };
    const step: RemovalStep = await store.admin.removeNamespace(namespace, {
      by,
      limit: ROWS_AT_ONCE,
      after,
    });
    deleted += step.rows;
    after = step.next;
    options.onProgress?.({
      stage: 'deleting',
      subject: namespace,
      done: Math.min(deleted, before.rows),
      total: before.rows,
    });
  } while (after !== null);
  return { ...report, deleted, finished: true };
}

function figuresOf({
  rows,
  tokens,
}: NamespaceRows): Pick<DeleteNamespaceOutput, 'records' | 'audit_entries' | 'tokens' | 'rows'> {
  const all = Object.values(rows).reduce((sum, each) => sum + each, 0);
  return { records: rows['record'] ?? 0, audit_entries: rows['audit'] ?? 0, tokens, rows: all };
}

/** What this process or its caller uses would be written again. */
function assertDeletable({ config, namespace: ours }: EngineContext, namespace: string): void {
  if (namespace === config.namespace)
    throw new LociError('invalid_input', `${JSON.stringify(namespace)} is the namespace of the settings`, {
      hint: 'Name another one in loci.yaml (`namespace`), and take out its `vaults` and `sources`. Then start servers again.',
    });
  if (namespace === ours)
    throw new LociError('invalid_input', `${JSON.stringify(namespace)} is the namespace of the caller`, {
      hint: 'Use a token of another subject with the scope operator.',
    });
}
