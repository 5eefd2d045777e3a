import { sha256, uuidv7 } from '../../src/core/ids.ts';
import type { LociRecord } from '../../src/core/types.ts';
import { buildPack, type Pack } from '../../src/pack/pack.ts';
import { RECEIPT_VERSION, type Receipt } from '../../src/pack/receipt.ts';
import { loadTokenCounter } from '../../src/pack/tokens.ts';

/** A pack of whole records, and its receipt. */
export async function packWithReceipt(
  records: readonly LociRecord[],
  request: { readonly query: string; readonly budget?: number; readonly at?: number },
): Promise<{ readonly pack: Pack; readonly receipt: Receipt }> {
  const { query, budget = 2000, at = Date.now() } = request;
  const pack = await buildPack({
    terms: query.toLowerCase().split(' '),
    budget,
    count: await loadTokenCounter(),
    candidates: records.map((record, i) => ({
      record,
      passage: {
        ordinal: 0,
        text: record.content,
        startLine: 1,
        endLine: record.content.split('\n').length,
      },
      score: 0.8 / (i + 1),
      lane: 'search',
      path: null,
      via: null,
      citation: record.key ?? `record/${String(record.id)}`,
      excluded: null,
      secrets: [],
    })),
  });
  const receipt: Receipt = {
    version: RECEIPT_VERSION,
    id: uuidv7(at),
    kind: 'pack',
    at: new Date(at).toISOString(),
    query_hash: sha256(query),
    project: null,
    lanes: [{ name: 'search', status: 'answered', took_ms: 1, candidates: records.length, failure: null }],
    ...pack.receipt,
  };
  return { pack, receipt };
}
