import { LociError, messageOf } from '../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import { formatCount } from '../../core/text/format-count.ts';
import { shellWord } from '../../core/text/split-command.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { verifyLog } from '../audit/read-audit.ts';
import type { EngineContext } from '../context.ts';
import { embedderOf, assertConfiguredModel, vectorsOf } from '../embedding/models.ts';
import { type Check, type Finding, isAbort } from './check.ts';
import { checkGraph } from './check-graph.ts';
import { checkPassages } from './check-passages.ts';
import { checkVaults } from './check-vaults.ts';
import { readReceipts } from '../packs/receipts.ts';
import { openReranker } from '../../embed/rerank/registry.ts';
import { RERANKED } from '../../search/final-order.ts';
import { otherLanguageShare } from './status.ts';
import { formatAge } from '../../core/time/age.ts';
import type { Timestamp } from '../../core/types.ts';
import { isUnconfigured, sourceReports, type SourceReport } from '../reading/reports.ts';

/** The subject of each check, as progress names it. */
const SUBJECTS = {
  store: 'the store',
  derived: 'the derived state',
  audit: 'the audit log',
  embedding: 'the embedding model',
  rerank: 'the reranker',
  graph: 'the graph',
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
      () => checkStore(context, options),
      REINDEX,
    ),
    await runCheck('derived', 'Run `loci doctor reindex`.', () => checkPassages(context, options), REINDEX),
    await runCheck('audit', 'The store was changed without Loci: compare it with a backup.', () =>
      checkAudit(context, options),
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
async function checkStore(
  { store, namespace: ours, caller }: EngineContext,
  options: ProgressOptions,
): Promise<Finding> {
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
  const { warning, otherNamespaces } = await store.admin.size(ADMIN_NAMESPACE, ours);
  for (let [after, done]: [string | undefined, number] = ['', 0]; after !== undefined;) {
    assertNotAborted(options);
    reportChecked(options, 'store', done, otherNamespaces);
    const page = await store.admin.verifyNamespaces(ADMIN_NAMESPACE, after);
    for (const { namespace, findings } of page) {
      // Only the operator may learn the names and contents of other namespaces.
      const mayKnow = namespace === ours || caller.trust === 'operator';
      for (const fault of findings)
        faults.add(mayKnow ? `${namespace}: ${fault}` : 'another namespace has a broken index');
    }
    after = page.at(-1)?.namespace;
    done += page.length;
  }
  const readOnly = store.capabilities.readOnly ? '; it is read-only here, so that nothing is updated' : '';
  if (faults.size === 0) {
    const detail = `the store and every index are intact${readOnly}`;
    const removed = caller.trust === 'operator' ? await store.admin.unfinishedRemovals(ADMIN_NAMESPACE) : [];
    const hints = [
      ...(warning === null ? [] : [warning]),
      ...removed.map(
        (name) =>
          `The deletion of ${JSON.stringify(name)} has not ended: run \`loci status delete-namespace\` again with its name.`,
      ),
      ...(store.activity?.().isReplicaReachable === false ? [REPLICA_AWAY] : []),
    ];
    return hints.length === 0
      ? { result: 'ok', detail }
      : { result: 'warning', detail, hint: hints.join('\n') };
  }
  const detail = [...faults].join('\n');
  const isRecordDamaged = /(?:tags|metadata) of record\/\d+ cannot be read/.test(detail);
  return { result: 'failed', detail, ...(isRecordDamaged && { hint: DAMAGED_RECORD }) };
}

const REPLICA_AWAY =
  'The server of store.replicaConnectionString cannot be reached, or is no replica of the database any more: all reads go to the primary server.';

/** How many namespaces are checked. */
function reportChecked(
  { onProgress }: ProgressOptions,
  subject: keyof typeof SUBJECTS,
  done: number,
  total: number,
): void {
  if (done > 0)
    onProgress?.({ stage: 'checking', subject: SUBJECTS[subject], done, total: Math.max(done, total) });
}

/** `reindex` alone does not help, because it does not read the documents. */
const DAMAGED_RECORD =
  'Run `loci index` and `loci sources refresh`, which read a record of a vault or a source again, then `loci doctor reindex`. ' +
  'Restore a backup for any other record.';

/** How many audit logs are read at once, each by a connection of its own where there are several. */
const LOGS_AT_ONCE = 4;

/** Verifies the audit log of the caller's namespace; for the operator, those of all namespaces. */
async function checkAudit(context: EngineContext, options: ProgressOptions): Promise<Finding> {
  const { store, namespace: ours, caller } = context;
  const otherNamespaces = caller.trust === 'operator' ? await store.admin.namespaces(ADMIN_NAMESPACE) : [];
  const faults: string[] = [];
  let [entries, attached] = [0, 0];
  const all = [
    ...new Set([ours, ...(caller.trust === 'operator' ? [ADMIN_NAMESPACE] : []), ...otherNamespaces]),
  ];
  for (let first = 0; first < all.length; first += LOGS_AT_ONCE) {
    assertNotAborted(options);
    reportChecked(options, 'audit', first, all.length);
    const page = all.slice(first, first + LOGS_AT_ONCE);
    for (const [i, log] of (await Promise.all(page.map((each) => verifyLog(context, each)))).entries()) {
      faults.push(...log.faults.map((fault) => (page[i] === ours ? fault : `${page[i]!}: ${fault}`)));
      entries += log.entries;
      attached += log.attached;
    }
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

const PAGE_SIZE = 200;
/** Ids that a message names. */
const MAX_NAMED = 3;

/** Reads every receipt of the namespace. @throws LociError `aborted`, and the errors of the store */
async function checkReceipts(context: EngineContext, options: ProgressOptions): Promise<Finding> {
  const unreadable: string[] = [];
  let count = 0;
  for (let after: string | null = null; ;) {
    assertNotAborted(options);
    const page = await readReceipts(context, { limit: PAGE_SIZE, ...(after !== null && { after }) });
    count += page.receipts.length;
    unreadable.push(...page.unreadable);
    if (page.next === null) break;
    after = page.next;
  }
  if (unreadable.length === 0) return { result: 'ok', detail: formatCount(count, 'receipt') };
  const rest = unreadable.length - MAX_NAMED;
  const names = `${unreadable.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${String(rest)} more` : ''}`;
  return {
    result: 'warning',
    detail: `${formatCount(unreadable.length, 'receipt')} cannot be read: ${names}`,
    hint: 'They are left out of `loci receipt list`, and removed when they are older than receipts.retentionDays.',
  };
}

/** Whether the model of the settings answers, and what it has not embedded. @throws the errors of the model and of the store */
async function checkEmbedding(context: EngineContext): Promise<Finding> {
  const embedder = await embedderOf(context);
  if (embedder === null)
    return { result: 'ok', detail: 'provider none: searches use text, spelling and recency only' };
  await assertConfiguredModel(context);
  const vectors = await vectorsOf(context);
  // A provider that is too slow for a search is not down.
  await embedder.embed(['loci'], { purpose: 'query', patient: true });
  const share = await otherLanguageShare(context, embedder);
  const languages =
    share === null
      ? ''
      : `; it knows English, and ${String(Math.round(100 * share))}% of the newest records are in other languages: they are found by words`;
  const model = `${embedder.provider} ${embedder.model} answers${languages}`;
  const pending =
    vectors === null
      ? 0
      : (await context.store.vectors.pending(context.namespace, vectors.generation, { totals: true })).texts;
  if (pending === 0) return { result: 'ok', detail: model };
  return {
    result: 'warning',
    detail: `${model}; ${formatCount(pending, 'text')} without a vector, found by words alone`,
    repair: { operation: 'embed-backfill', input: {} },
    hint: `Run \`loci index\`.${embedder.isRemote ? ' It names the texts that the provider refuses, which stay so.' : ''}`,
  };
}

/** Says what is sent where, and whether the reranker answers. It may quote the reranker, to which it sends no text of the store. */
async function checkReranker({ config }: EngineContext): Promise<Finding> {
  const reranker = await openReranker(config.rerank, true);
  if (reranker === null) return { result: 'ok', detail: 'none' };
  const { provider, model, origin, deadlineMs } = reranker;
  const sent = `every query, and the texts of its first ${String(RERANKED)} results, are sent to ${origin}`;
  const name = [provider, model].join(' ').trim();
  try {
    await reranker.rerank('loci', ['loci', 'something else']);
  } catch (error) {
    return { result: 'warning', detail: `${name}: ${messageOf(error)}; ${sent}` };
  } finally {
    await reranker.close();
  }
  return { result: 'ok', detail: `${name} answers within ${String(deadlineMs)} ms; ${sent}` };
}

/** One check for each source, and for each vault that is not in the settings. The others have separate checks. */
async function checkSources(context: EngineContext): Promise<Check[]> {
  const reports = await sourceReports(context);
  // Only the operator may see the error output of a program.
  const isOwner = context.caller.trust === 'operator';
  return reports
    .filter(({ kind, condition }) => kind !== 'vault' || isUnconfigured(condition))
    .map((report) => checkSource(isOwner ? report : { ...report, error: null, hint: null }, context.now()));
}

function checkSource(report: SourceReport, now: Timestamp): Check {
  const { id, kind, condition, documents, state, error } = report;
  const readAt = state?.readAt ?? null;
  const read = readAt === null ? 'never read' : `read ${formatAge(readAt, now)}`;
  const detail = `${formatCount(documents, 'document')}, ${read}${error === null ? '' : `; ${error}`}`;
  const warning = (hint: string): Check => ({
    name: `${kind === 'vault' ? kind : 'source'} ${id}`,
    result: 'warning',
    detail: `${condition}: ${detail}`,
    hint,
    repair: repairOf(report),
  });
  switch (condition) {
    case 'fresh':
    case 'imported':
    case 'disabled': {
      const { repair: _, ...check } = warning('');
      return { ...check, result: 'ok', hint: null };
    }
    case 'paused':
      return { ...warning(`\`loci sources resume ${id}\` resumes automatic refreshes.`), result: 'ok' };
    case 'new':
    case 'stale':
      return warning(`Run \`loci sources refresh ${id}\`, or let \`loci sources watch\` keep it fresh.`);
    case 'failing':
      return warning(
        kind === 'conversations'
          ? 'Correct its path in loci.yaml, or mount the folder.'
          : `\`loci sources test ${id}\` runs it once and shows what it prints.`,
      );
    case 'waiting for approval':
    case 'changed, waiting for approval':
      return warning(
        `\`loci sources show ${id}\` shows what would run; \`loci sources approve ${id}\` allows it.`,
      );
    case 'broken':
      return warning(
        report.hint ??
          (report.kind === 'skill'
            ? 'Correct the `memorySource` of its SKILL.md.'
            : 'Correct it in loci.yaml.'),
      );
    case 'set elsewhere':
      return { ...warning(''), result: 'ok', hint: report.hint };
    case 'gone':
      return warning(
        `Put it back into loci.yaml, or take its documents out: loci sources remove ${shellWord(id)}`,
      );
  }
}

function repairOf({ id, condition }: SourceReport): NonNullable<Check['repair']> {
  if (condition === 'paused') return { operation: 'sources-resume', input: { id } };
  if (condition === 'new' || condition === 'stale')
    return { operation: 'sources-refresh', input: { ids: [id] } };
  return { operation: 'sources-show', input: { id } };
}
