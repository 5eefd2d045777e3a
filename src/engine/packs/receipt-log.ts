import { DAY_MS } from '../../core/time/whole-day.ts';
import { within } from '../../core/time/deadline.ts';
import { messageOf } from '../../core/errors.ts';
import type { Receipt } from '../../pack/receipt.ts';
import type { StoredReceipt } from '../../store/item-model.ts';
import { MARKED_RECEIPT, receiptPut } from '../../store/items/kinds.ts';
import type { EngineServices } from '../context.ts';

/** The newest receipts of a namespace that remain, whatever their age. */
const MAX_RECEIPTS = 10_000;
/**
 * How long an answer waits for its receipt at most, in milliseconds. A write takes a few, but another process may be writing to the
 * store, which would delay it for longer than an answer may take.
 */
const WRITE_DEADLINE_MS = 2000;

/** Writes receipts of what agents were given, and why. No error of a receipt reaches the answer that it is about. */
export class ReceiptLog {
  readonly #services: EngineServices;
  readonly #pending = new Set<Promise<unknown>>();
  #lastWarning = '';

  constructor(services: EngineServices) {
    this.#services = services;
    services.flushOnClose(() => this.flush());
  }

  /**
   * Stores a receipt and returns its id; `null` if it is not stored before the deadline. The answer must then say that it has
   * none.
   */
  async write(namespace: string, receipt: Receipt): Promise<string | null> {
    return within(this.#keep(this.#store(namespace, receipt)), WRITE_DEADLINE_MS, () => null);
  }

  /** Makes and stores a receipt in the background, for answers that do not name it. */
  record(namespace: string, make: () => Promise<Receipt>): void {
    void this.#keep(
      (async () => {
        try {
          return await this.#store(namespace, await make());
        } catch (error) {
          this.#warn(error);
          return null;
        }
      })(),
    );
  }

  /** Resolves when all receipts so far are stored, or have failed. */
  async flush(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  #keep<Result>(work: Promise<Result>): Promise<Result> {
    this.#pending.add(work);
    return work.finally(() => this.#pending.delete(work));
  }

  async #store(namespace: string, receipt: Receipt): Promise<string | null> {
    const { store, config, now } = this.#services;
    if (store.capabilities.readOnly) return null;
    try {
      const [of, except] = ['receipt', MARKED_RECEIPT] as const;
      await store.records.commit(namespace, {
        items: [
          receiptPut(await storedReceipt(receipt)),
          { of, forgetBefore: now() - config.receipts.retentionDays * DAY_MS, except },
          { of, keepNewest: MAX_RECEIPTS, by: 'at', except },
        ],
      });
      return receipt.id;
    } catch (error) {
      this.#warn(error);
      return null;
    }
  }

  /** A store that is full or broken fails every time: one message is enough. */
  #warn(error: unknown): void {
    const message = `a receipt could not be stored: ${messageOf(error)}`;
    if (message === this.#lastWarning) return;
    this.#lastWarning = message;
    this.#services.warn(message);
  }
}

/** Says why a text has no receipt where none can be stored, such as on a replica. */
export function missingReceipt({ store }: Pick<EngineServices, 'store'>): string[] {
  return store.capabilities.readOnly
    ? ['the store can only be read here, so that the text has no receipt']
    : [];
}

/** The schema is strict, so that only the published fields get into the store. @throws ZodError */
async function storedReceipt(receipt: Receipt): Promise<StoredReceipt> {
  const { receiptSchema } = await import('../../pack/receipt.ts');
  const body = receiptSchema.parse(receipt);
  return { id: body.id, kind: body.kind, at: Date.parse(body.at), hash: body.hash, body };
}
