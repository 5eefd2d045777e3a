import { LociError, messageOf } from '../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import { formatCount } from '../../core/text/format-count.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { verifyLog } from '../audit/verify-log.ts';
import type { EngineContext } from '../context.ts';
import { embedderOf } from '../embedding/models.ts';
import { type Check, type Finding, isAbort } from './check.ts';
import { checkConcepts } from './check-concepts.ts';
import { checkGraph } from './check-graph.ts';
import { checkEmbedding, checkReranker } from './check-models.ts';
import { checkPassages } from './check-passages.ts';
import { checkReceipts } from './check-receipts.ts';
import { checkSources } from './check-sources.ts';
import { checkVaults } from './check-vaults.ts';

/** The subject of each check, as progress names it. */
const SUBJECTS = {
  store: 'the store',
  derived: 'the derived state',
  audit: 'the audit log',
  embedding: 'the embedding model',
  rerank: 'the reranker',
  graph: 'the graph',
  concepts: 'the concepts',
  receipts: 'the receipts',
} as const;

const REINDEX = { operation: 'reindex', input: {} };

/** Checks an open store without changing it. @throws LociError `aborted` */
export async function doctor(context: EngineContext, options: ProgressOptions = {}): Promise<Check[]> {
  const runCheck = (
    name: keyof typeof SUBJECTS,
    hint: string,
    look: () => Promise<Finding>,
    repair?: Check['repair'],
  ): Promise<Check> => {
    assertNotAborted(options);
    options.onProgress?.({ stage: 'checking', subject: SUBJECTS[name], done: 0, total: 0 });
    return resultOf(name, { hint, ...(repair !== undefined && { repair }) }, look);
  };
  return [
    await runCheck(
      'store',
      'Restore a backup, or run `loci doctor reindex`.',
      () => checkStore(context),
      REINDEX,
    ),
    await runCheck('derived', 'Run `loci doctor reindex`.', () => checkPassages(context, options), REINDEX),
    await runCheck('audit', 'The store was changed without Loci: compare it with a backup.', () =>
      checkAudit(context),
    ),
    await runCheck('embedding', 'Run `loci embed test`.', () => checkEmbedding(context)),
    ...(context.config.rerank.provider === 'none'
      ? []
      : [
          await runCheck('rerank', 'Check `rerank` in loci.yaml: docs/providers.md.', () =>
            checkReranker(context),
          ),
        ]),
    await runCheck('graph', 'Run `loci doctor reindex`.', () => checkGraph(context, options), REINDEX),
    await runCheck('concepts', 'Run `loci doctor reindex`.', () => checkConcepts(context, options), REINDEX),
    await runCheck('receipts', 'Restore a backup. Searches, reads and writes do not need them.', () =>
      checkReceipts(context, options),
    ),
    ...(await checkVaults(context, options)),
    ...(await checkSources(context)),
  ];
}

/** Resolves when the store and the bundled model answer; a provider elsewhere may be down. @throws LociError when one of them fails */
export async function assertReady(context: EngineContext): Promise<void> {
  await context.store.vectors.generations(ADMIN_NAMESPACE);
  const embedder = await embedderOf(context);
  if (embedder?.isRemote !== true) await embedder?.embed(['loci'], { purpose: 'query' });
}

async function resultOf(
  name: string,
  usual: { readonly hint: string } & Pick<Check, 'repair'>,
  look: () => Promise<Finding>,
): Promise<Check> {
  try {
    const finding = await look();
    if (finding.result === 'ok') return { name, hint: null, ...finding };
    return { name, ...(finding.hint === undefined ? usual : { hint: finding.hint }), ...finding };
  } catch (error) {
    if (isAbort(error)) throw error;
    // The hint of `store_failed` is to run `loci doctor`, which is running.
    const own = error instanceof LociError && error.code !== 'store_failed' ? { hint: error.hint } : usual;
    return { name, result: 'failed', detail: messageOf(error), ...own };
  }
}

/** Checks the file or database and, if it is sound, every namespace. */
async function checkStore({ store, namespace: ours, caller }: EngineContext): Promise<Finding> {
  const storageFaults = await store.admin.verify(ADMIN_NAMESPACE);
  if (storageFaults.length > 0) {
    const detail = [...new Set(storageFaults)].join('\n');
    return {
      result: 'failed',
      detail,
      ...(detail.includes('`') && { hint: 'Run these statements in the database.' }),
    };
  }
  const faults = new Set<string>();
  const { namespaces, warning } = await store.admin.stats(ADMIN_NAMESPACE);
  for (const { namespace } of namespaces) {
    // Only the operator may learn the names and contents of other namespaces.
    const mayKnow = namespace === ours || caller.trust === 'operator';
    for (const fault of await store.admin.verify(namespace))
      faults.add(mayKnow ? `${namespace}: ${fault}` : 'another namespace has a broken index');
  }
  const readOnly = store.capabilities.readOnly ? '; it is read-only here, so that nothing is updated' : '';
  if (faults.size === 0) {
    const detail = `the store and every index are intact${readOnly}`;
    return warning === null ? { result: 'ok', detail } : { result: 'warning', detail, hint: warning };
  }
  const detail = [...faults].join('\n');
  const isRecordDamaged = /(?:tags|metadata) of record\/\d+ cannot be read/.test(detail);
  return { result: 'failed', detail, ...(isRecordDamaged && { hint: DAMAGED_RECORD }) };
}

/** `reindex` alone does not help, because it does not read the documents. */
const DAMAGED_RECORD =
  'Run `loci index` and `loci sources refresh`, which read a record of a vault or a source again, then `loci doctor reindex`. ' +
  'Restore a backup for any other record.';

/** Verifies the audit log of the caller's namespace; for the operator, those of all namespaces. */
async function checkAudit(context: EngineContext): Promise<Finding> {
  const { store, namespace: ours, caller } = context;
  const otherNamespaces = caller.trust === 'operator' ? await store.admin.namespaces(ADMIN_NAMESPACE) : [];
  const faults: string[] = [];
  let [entries, attached] = [0, 0];
  for (const namespace of new Set([ours, ...otherNamespaces])) {
    const log = await verifyLog(context, namespace);
    faults.push(...log.faults.map((fault) => (namespace === ours ? fault : `${namespace}: ${fault}`)));
    entries += log.entries;
    attached += log.attached;
  }
  if (faults.length > 0) return { result: 'failed', detail: faults.join('\n') };
  return {
    result: 'ok',
    detail:
      `${formatCount(entries, 'entry', 'entries')}, none missing or changed` +
      (attached === 0
        ? ''
        : `; ${formatCount(attached, 'entry', 'entries')} of imported logs kept for export`),
  };
}
