import { sha256, uuidv7 } from '../../src/core/ids.ts';
import type { LociRecord } from '../../src/core/types.ts';
import type { Candidate, PackRecord } from '../../src/pack/candidate.ts';
import { buildPack, type Pack } from '../../src/pack/pack.ts';
import type { PackRequest } from '../../src/pack/draft.ts';
import { RECEIPT_VERSION, type Receipt } from '../../src/pack/receipt.ts';
import { loadTokenCounter, TOKENIZER } from '../../src/pack/tokens.ts';

/** The request of a pack about some words, whose records have the credentials of the candidates. */
export async function packRequest(
  words: readonly string[],
  candidates: readonly Candidate[],
  budget: number,
): Promise<PackRequest> {
  const secretsOf = new Map(candidates.map(({ record, secrets }) => [record.uuid, secrets]));
  return {
    query: {
      terms: words.map((term) => ({ weight: 1, any: [[term]] })),
      meaningShare: 0.5,
    },
    ...{ budget, candidates, embeds: [], isUnsure: false },
    ...{ fence: 'loci-pack', count: await loadTokenCounter(), tokenizer: TOKENIZER },
    findCredentials: ({ uuid }) => Promise.resolve({ secrets: secretsOf.get(uuid) ?? [], inTitle: false }),
  };
}

/** A candidate whose passage is the whole text of its record. */
export function sampleCandidate(
  id: number,
  record: Partial<PackRecord>,
  fields: Partial<Candidate> = {},
): Candidate {
  const { content = '' } = record;
  return {
    record: {
      ...{
        id,
        uuid: `00000000-0000-7000-8000-${String(id).padStart(12, '0')}`,
        origin: 'memory',
        source: 's',
      },
      ...{
        project: 'default',
        trust: 'agent',
        title: '',
        content,
        contentHash: sha256(content),
        metadata: {},
      },
      ...{ key: null, recordType: 'note', ...record },
    },
    passage: { ordinal: 0, text: content, startLine: 1, endLine: content.split('\n').length },
    ...{ score: 0.5, relevance: 0.5, passages: [], lane: 'search', path: null, via: null, excluded: null },
    ...{ secrets: [], citation: `record/${String(id)}`, ...fields },
  };
}

/** A pack of whole records, and its receipt. */
export async function packWithReceipt(
  records: readonly LociRecord[],
  request: { readonly query: string; readonly budget?: number; readonly at?: number },
): Promise<{ readonly pack: Pack; readonly receipt: Receipt }> {
  const { query, budget = 2000, at = Date.now() } = request;
  const candidates = records.map((record, i) =>
    sampleCandidate(record.id, record, {
      ...{ score: 0.8 - i / 100, relevance: 1 - i / 100 },
      citation: record.key ?? `record/${String(record.id)}`,
    }),
  );
  const pack = await buildPack(await packRequest(query.toLowerCase().split(' '), candidates, budget));
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
