import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import { formatCount } from '../../core/text/format-count.ts';
import type { EngineContext } from '../context.ts';
import { readReceipts } from '../packs/receipts.ts';
import type { Finding } from './check.ts';

const PAGE_SIZE = 200;
/** Ids that a message names. */
const MAX_NAMED = 3;

/** Reads every receipt of the namespace. @throws LociError `aborted`, and the errors of the store */
export async function checkReceipts(context: EngineContext, options: ProgressOptions): Promise<Finding> {
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
