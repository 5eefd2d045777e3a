import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { LociError } from '../../src/core/errors.ts';
import type { AuditDraft } from '../../src/store/admin-model.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { cutNow, cutOf, NOW } from '../contract/store-samples.ts';
import { DIMENSIONS, type Which } from './arbitraries.ts';
import type { Operation } from './store-operations.ts';
import { vectorOf } from './store-questions.ts';

export type Outcome = { readonly value: unknown } | { readonly refused: string };

async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await work };
  } catch (error) {
    return { refused: error instanceof LociError ? error.code : String(error) };
  }
}

/** Applies a history to one store. Ids are those of the store under test; both stores assign the same. */
export class Player {
  readonly #store: Oracle;
  readonly #written = new Map<string, number[]>();
  /** The last one first. */
  readonly #deleted = new Map<string, number[]>();

  constructor(store: Oracle) {
    this.#store = store;
  }

  async play(operation: Operation): Promise<Outcome> {
    return outcomeOf(this.#run(operation));
  }

  async #run(operation: Operation): Promise<unknown> {
    const store = this.#store;
    switch (operation.kind) {
      case 'commit':
        return this.#commit(operation);
      case 'putVectors': {
        const { namespace, generation, share } = operation;
        const page = { after: null, limit: 1000 };
        const pending = await store.vectors.pending(namespace, generation, page);
        const dimensions = DIMENSIONS[generation - 1] ?? 0;
        const chosen = pending.filter((_, i) => i % share === 0);
        return store.vectors.put(
          namespace,
          generation,
          chosen.map(({ hash }) => ({ hash, vector: vectorOf(hash, dimensions) })),
        );
      }
      case 'putPassages': {
        const ids = operation.records.map((which) => this.#idOf(operation.namespace, which));
        const passages = new Map(ids.map((id) => [id, operation.passages]));
        const cut = await cutNow(store, operation.namespace, passages);
        const stale = new Map(ids.map((id) => [id, cutOf(undefined, operation.passages)]));
        return store.records.replacePassages(
          operation.namespace,
          operation.chunking,
          operation.current ? cut : stale,
        );
      }
      case 'dropDerived':
        return store.admin.resetDerived(operation.namespace, { drop: true, vectors: operation.vectors });
      case 'markStale':
        return store.admin.resetDerived(operation.namespace, { drop: false, vectors: operation.vectors });
      case 'activate':
        return store.vectors.activateGeneration(ADMIN_NAMESPACE, operation.generation);
      case 'sweep':
        return store.admin.sweep(operation.namespace);
      case 'purge':
        return store.records.purge(operation.namespace, operation.request);
      case 'attachAudit': {
        const own = (await store.admin.auditChains(operation.from)).find((chain) => chain.own);
        const page = { after: null, limit: operation.keep };
        const entries = await store.admin.auditChain(operation.from, own?.chain ?? '', page);
        return store.admin.attachAudit(operation.to, entries);
      }
      case 'commitState': {
        const { namespace, batch } = operation;
        const audit = await this.withUuids(namespace, batch.audit ?? []);
        return store.records.commit(namespace, { ...batch, audit });
      }
      case 'takeLease':
        return store.admin.takeLease(operation.namespace, operation.request);
      case 'dropLease':
        return store.admin.dropLease(operation.namespace, operation.name, operation.holder);
    }
  }

  async #commit(operation: Operation & { kind: 'commit' }): Promise<number[]> {
    const {
      namespace,
      writes,
      evictions,
      restorations,
      audit,
      idempotencyKey,
      fence,
      sourceState,
      chunking,
    } = operation;
    const deletions = operation.deletions.map((which, i) => ({
      id: this.#idOf(namespace, which),
      at: NOW + i - 1,
    }));
    const ids = await this.#store.records.commit(namespace, {
      writes: writes.map(({ which, ...write }) => ({
        ...write,
        id: which === null ? null : this.#idOf(namespace, which),
      })),
      evictions: evictions.map((which) => this.#idOf(namespace, which)),
      deletions,
      restorations: restorations.map(({ which, passages }) => ({
        id: idAmong(this.#deleted.get(namespace) ?? [], which),
        passages,
      })),
      audit: await this.withUuids(namespace, audit),
      ...(idempotencyKey === null ? {} : { idempotencyKey }),
      ...(fence === null ? {} : { fence }),
      ...(sourceState === null ? {} : { sourceState }),
      chunking,
    });
    this.#written.set(namespace, [...(this.#written.get(namespace) ?? []), ...ids]);
    this.#deleted.set(namespace, [...deletions.map(({ id }) => id), ...(this.#deleted.get(namespace) ?? [])]);
    return ids;
  }

  /** Audit entries, with the UUIDs of their records as subjects. */
  async withUuids(namespace: string, audit: readonly AuditDraft[]): Promise<AuditDraft[]> {
    const drafts: AuditDraft[] = [];
    for (const draft of audit) {
      const id = this.#idOf(namespace, Number(draft.subject?.slice(1)));
      const [record] = await this.#store.records.get(namespace, [id], 'any');
      drafts.push({ ...draft, subject: draft.subject === null ? null : (record?.uuid ?? draft.subject) });
    }
    return drafts;
  }

  #idOf(namespace: string, which: Which): number {
    return idAmong(this.#written.get(namespace) ?? [], which);
  }
}

function idAmong(ids: readonly number[], which: Which): number {
  return which === 'unknown' ? 1_000_000 : (ids[which % Math.max(ids.length, 1)] ?? 1_000_000);
}
