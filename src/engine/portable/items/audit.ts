import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import { MAX_TIME, MIN_TIME } from '../../../sources/files/read-file.ts';
import type { AuditChain, AuditEntry } from '../../../store/admin-model.ts';
import type { EngineContext } from '../../context.ts';
import { screenTexts } from '../../records/screen.ts';
import { isRefusal, readPage, type ImportJob, type ItemType, type Located } from './item-type.ts';
import { jsonObject, lineFormat, sha256Text, uuid } from './line-format.ts';

const schema = z.strictObject({
  chain: uuid,
  seq: z.number().int().positive(),
  // It stays a number because the hash covers it as a number.
  at: z.number().int().min(MIN_TIME).max(MAX_TIME),
  actor: z.string(),
  surface: z.string(),
  action: z.string(),
  subject: z.string().nullable(),
  diff: jsonObject.nullable(),
  diff_hash: sha256Text.nullable(),
  previous: sha256Text,
  hash: sha256Text,
  session: z.string().exactOptional(),
});
/** An entry without a session has no such field, as in exports of older versions. */
const { session: _, ...FIELDS } = schema.shape;

export const audit: ItemType<AuditEntry> = {
  format: lineFormat(schema, FIELDS),
  async read(context, position) {
    const { part } = position;
    const chain = (await auditChains(context))[part]?.chain;
    if (chain === undefined) return { items: [], next: null };
    const { items, next } = await readPage(
      async (page) =>
        (await context.store.admin.audit(context.namespace, { chain: { name: chain, ...page } })).entries,
      ({ seq }) => seq,
      position,
    );
    return { items, next: next ?? { part: part + 1, after: 0 } };
  },
  screen: async (_, value) => ({ value, masked: [] }),
};

/** Attaches the entries of each chain to it, in their order. */
export class AuditImporter {
  readonly #job: ImportJob;
  readonly #rejected = new Set<string>();

  constructor(job: ImportJob) {
    this.#job = job;
  }

  async put(batch: readonly Located<AuditEntry>[]): Promise<void> {
    const { context, options, report } = this.#job;
    const { store, namespace } = context;
    const links = batch.map(({ value }) => value);
    for (const [chain, entries] of Map.groupBy(links, (entry) => entry.chain)) {
      if (this.#rejected.has(chain)) continue;
      try {
        const { chains } = await store.admin.audit(namespace, { chains: true });
        const length = chains.find((each) => each.chain === chain)?.length ?? 0;
        if (!options.dry_run) {
          const attachedAudit = await Promise.all(entries.map((entry) => withoutSecrets(this.#job, entry)));
          await store.records.commit(namespace, { attachedAudit });
        }
        const added = entries.filter(({ seq }) => seq > length).length;
        report.counts.audit.added += added;
        report.counts.audit.unchanged += entries.length - added;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        this.#rejected.add(chain);
        report.addConflict(`audit chain ${chain}`, error.message);
      }
    }
  }
}

/** The audit chains in an order that later writes do not change. Only the operator may read them. */
async function auditChains({ store, namespace, caller }: EngineContext): Promise<AuditChain[]> {
  if (caller.trust !== 'operator') return [];
  const { chains } = await store.admin.audit(namespace, { chains: true });
  return chains.toSorted((a, b) => (a.chain < b.chain ? -1 : 1));
}

/** Removes a diff that has a secret. The chain stays valid, because its hashes cover the hash of the diff. */
async function withoutSecrets({ context, report }: ImportJob, entry: AuditEntry): Promise<AuditEntry> {
  if (entry.diff === null) return entry;
  const content = JSON.stringify(entry.diff);
  const masked = await screenTexts(context, { content }).then(
    (screening) => screening.masked,
    (error: unknown) => {
      if (error instanceof LociError && error.code === 'secret_refused') return ['secret'];
      throw error;
    },
  );
  report.addMasked(`audit entry ${String(entry.seq)}`, masked);
  return masked.length === 0 ? entry : { ...entry, diff: null };
}
