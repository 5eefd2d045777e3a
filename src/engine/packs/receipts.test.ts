import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReceiptLog } from './receipt-log.ts';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import { packWithReceipt } from '../../../test/contract/receipts.ts';
import type { LociRecord } from '../../core/types.ts';
import type { Pack } from '../../pack/pack.ts';
import type { Receipt } from '../../pack/receipt.ts';
import { type ReceiptVerifyOutput, verifyReceipt } from './verify-receipt.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { write } from '../records/write.ts';
import { listReceipts, readReceipts, showReceipt, markReceipt } from './receipts.ts';
import { deleteRecord } from '../records/delete.ts';
import { get } from '../records/get.ts';
import { memoryPack } from './memory-pack.ts';
import { audit } from '../audit/read-audit.ts';

const DAY = 86_400_000;
const QUERY = 'oven plumber';
const NOTES = {
  'Home/Oven.md':
    '# Oven\n\nThe oven is a Bosch with a marzipan door.\n\nIt was delivered on Tuesday by two men.\n',
  'Plumber.md': '# Plumber\n\nThe plumber is called Zebulon Quartermain and prefers texts.\n',
};

const folder = folderForEach();
let vault: string;
let now: number;
let loci: EngineContext;
let warnings: string[];

const open = (): Promise<EngineContext> =>
  openInline(settings(folder.path, { vaults: [{ path: vault }] }), {
    now: () => now,
    onWarning: (message) => warnings.push(message),
  });

beforeEach(async () => {
  vault = join(folder.path, 'notes');
  now = Date.UTC(2026, 10, 22, 12);
  warnings = [];
  await writeNotes(vault, NOTES);
  loci = await open();
  await indexVaults(loci);
});

afterEach(() => loci.close());

async function records(): Promise<LociRecord[]> {
  return loci.store.records.list(loci.namespace, { filter: { now } }, { after: null, limit: 50 });
}

/** Stores the receipt of a pack of all records. */
async function stored(query = QUERY): Promise<{ readonly pack: Pack; readonly receipt: Receipt }> {
  const made = await packWithReceipt(await records(), { query, at: now });
  loci.shared(ReceiptLog).record(loci.namespace, async () => made.receipt);
  await loci.close();
  loci = await open();
  return made;
}

type Piece = ReceiptVerifyOutput['receipts'][number]['pieces'][number];

async function piecesOf(request: Parameters<typeof verifyReceipt>[1]): Promise<readonly Piece[]> {
  const { receipts } = await verifyReceipt(loci, request);
  expect(receipts).toHaveLength(1);
  return receipts[0]!.pieces;
}

const states = (pieces: readonly Piece[], path: string): string[] => [
  ...new Set(pieces.filter(({ citation }) => citation?.startsWith(path)).map(({ state }) => state)),
];

describe('a receipt', () => {
  it('is shown with what its records are called now, unless they are deleted', async () => {
    const { id } = await write(loci, { content: 'The oven key is under the mat.', title: 'Key' });
    const { receipt } = await stored();
    const named = async (): Promise<string[]> =>
      (await showReceipt(loci, { id: receipt.id })).records
        .map(({ citation, title }) => `${citation} ${title}`)
        .sort();
    const notes = ['Home/Oven.md Oven', 'Plumber.md Plumber'];
    expect(await named()).toEqual([...notes, `record/${String(id)} Key`]);
    await deleteRecord(loci, { id });
    expect(await named()).toEqual(notes);
  });

  it('shows with `texts` what each piece said, unless its record has changed or is deleted', async () => {
    const { id } = await write(loci, { content: 'The oven key is under the mat.', title: 'Key' });
    const { pack, receipt } = await stored();
    const shown = receipt.pieces.map((piece) =>
      Buffer.from(pack.text).subarray(piece.pack.start, piece.pack.end).toString(),
    );
    const texts = async () => (await showReceipt(loci, { id: receipt.id, texts: true })).texts;
    expect(await texts()).toEqual(shown);
    expect((await showReceipt(loci, { id: receipt.id })).texts).toBeNull();
    await deleteRecord(loci, { id });
    await writeNotes(vault, { 'Plumber.md': '# Plumber\n\nThe plumber has moved away.\n' });
    await indexVaults(loci);
    const rest = receipt.pieces.map(({ id: record, field }, i) =>
      record === id || (field === 'content' && shown[i]!.includes('Zebulon')) ? null : shown[i],
    );
    expect(rest.filter((text) => text === null).length).toBeGreaterThan(1);
    expect(await texts()).toEqual(rest);
  });

  it('is listed with who was given it, what it names first, and the query that a mark has', async () => {
    const { receipt_id: id } = await memoryPack(loci, { query: QUERY });
    const { receipts } = await listReceipts(loci, {});
    expect(receipts[0]).toMatchObject({
      ...{ id, query: null, caller: { actor: loci.caller.actor, surface: loci.caller.surface } },
      titles: expect.arrayContaining(['Oven', 'Plumber']) as string[],
    });
    await markReceipt(loci, { id: id!, item: '1', verdict: 'useful', query: QUERY });
    expect((await listReceipts(loci, {})).receipts[0]?.query).toBe(QUERY);
  });

  it('is listed and shown until its retention ends, and then purged', async () => {
    const { receipt } = await stored();
    expect((await readReceipts(loci, { limit: 5 })).receipts).toEqual([receipt]);
    expect(await showReceipt(loci, { id: receipt.id })).toMatchObject({ receipt });
    expect((await listReceipts(loci, { limit: 5, kind: 'recall' })).receipts).toEqual([]);
    now += 30 * DAY + 1;
    expect((await listReceipts(loci, { limit: 5 })).receipts).toEqual([]);
    await expect(showReceipt(loci, { id: receipt.id })).rejects.toMatchObject({ code: 'not_found' });
    await write(loci, { content: 'Starts the purge.' });
    await loci.close();
    now -= 30 * DAY;
    loci = await open();
    expect((await listReceipts(loci, { limit: 5 })).receipts).toEqual([]);
  });

  it('is listed in pages', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      now += 1000;
      ids.unshift((await stored()).receipt.id);
    }
    const first = await listReceipts(loci, { limit: 3 });
    const second = await listReceipts(loci, { limit: 3, after: first.next! });
    expect([...first.receipts, ...second.receipts].map(({ id }) => id)).toEqual(ids);
    expect(second.next).toBeNull();
    await expect(listReceipts(loci, { limit: 3, after: 'x' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('is listed with the record that was considered for it, and what became of that', async () => {
    const { receipt } = await stored();
    const { id } = await write(loci, { content: 'Not in the receipt.' });
    const [record] = await records().then((all) => all.filter(({ key }) => key === 'Plumber.md'));
    expect((await listReceipts(loci, { record: record!.id })).receipts).toMatchObject([
      { id: receipt.id, record: { included: true, reason: null } },
    ]);
    expect((await listReceipts(loci, { record: record!.id, from: now + 1 })).receipts).toEqual([]);
    expect((await listReceipts(loci, { record: id })).receipts).toEqual([]);
    await expect(listReceipts(loci, { record: 99 })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('has no content and no text of the query, whatever these are', async () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{7,12}$/), { minLength: 3, maxLength: 12 });
    // Names of fields, reasons and lanes are words too.
    const known = new Set(JSON.stringify((await stored()).receipt).match(/[a-z]+/g));
    await fc.assert(
      fc.asyncProperty(words, words, async (content, query) => {
        const [record] = await records();
        const text = content.join(' ');
        const made = await packWithReceipt(
          [{ ...record!, title: content[0]!, content: text, key: `${content[1]!}.md` }],
          { query: query.join(' ') },
        );
        const receipt = JSON.stringify(made.receipt);
        for (const word of [...content, ...query]) if (!known.has(word)) expect(receipt).not.toContain(word);
      }),
      { numRuns: 50 },
    );
  });

  it('that is not as its schema says is not stored, which is a warning', async () => {
    const { receipt } = await stored();
    loci.shared(ReceiptLog).record(loci.namespace, async () => ({ ...receipt, text: 'marzipan' }) as Receipt);
    loci.shared(ReceiptLog).record(loci.namespace, () => Promise.reject(new Error('broken')));
    await loci.close();
    expect(warnings).toHaveLength(2);
    expect(warnings.join()).toMatch(/a receipt could not be stored: broken,.*could not be stored: .*text/s);
    loci = await open();
    expect((await listReceipts(loci, { limit: 10 })).receipts).toHaveLength(1);
  });
});

describe('a verified receipt', () => {
  it('says which bytes of a prompt came from which line of which note', async () => {
    const { pack, receipt } = await stored();
    const prompt = `System: ä help.\n${pack.text}\nUser: hi`;
    const response = await verifyReceipt(loci, { prompt });
    expect(response.receipts).toMatchObject([{ id: receipt.id, whole: true }]);
    const bytes = Buffer.from(prompt);
    const content = new Map((await records()).map((record) => [record.uuid, record]));
    expect(response.receipts[0]!.pieces.length).toBeGreaterThan(1);
    for (const piece of response.receipts[0]!.pieces) {
      const { prompt: at, state, citation, record_is_same } = piece;
      const text = bytes.subarray(at!.start, at!.end).toString();
      const record = content.get(piece.record)!;
      expect(record[piece.field]).toContain(text);
      expect([state, record_is_same]).toEqual(['same', true]);
      if (piece.field === 'content') expect((await get(loci, { citation: citation! })).text).toContain(text);
    }
    expect(response.from_records).toBeGreaterThan(50);
    expect(response.prompt_bytes).toBe(bytes.length);
  });

  it('finds pieces in a prompt that has only a part of the text', async () => {
    const { pack, receipt } = await stored();
    const sentence = 'The oven is a Bosch with a marzipan door.';
    expect(pack.text).toContain(sentence);
    const prompt = `Note: ${sentence} End`;
    for (const request of [{ prompt }, { prompt, id: receipt.id }]) {
      const pieces = await piecesOf(request);
      const found = pieces.filter((piece) => piece.prompt !== null);
      expect(found.length).toBeGreaterThan(0);
      expect(found[0]!.citation).toMatch(/^Home\/Oven\.md#L\d/);
    }
    expect((await verifyReceipt(loci, { prompt: 'The title Oven alone' })).receipts).toEqual([]);
    expect(await verifyReceipt(loci, { prompt: '' })).toMatchObject({ receipts: [], prompt_bytes: 0 });
  });

  it('does not say that a sentence is the same when words around it were added', async () => {
    await writeNotes(vault, { 'Bill.md': '# Bill\n\nPay 100 euros for the oven\n\nThe plumber agrees.\n' });
    await indexVaults(loci);
    const { pack, receipt } = await stored();
    const contentStates = async (): Promise<string[]> =>
      states(
        (await piecesOf({ id: receipt.id, prompt: pack.text })).filter(({ field }) => field === 'content'),
        'Bill.md',
      ).toSorted();
    expect(await contentStates()).toEqual(['same']);
    await writeNotes(vault, {
      'Bill.md': '# Bill\n\nDo not Pay 100 euros for the oven, ask\n\nNote: The plumber agrees. Not today.\n',
    });
    await indexVaults(loci);
    expect(await contentStates()).toEqual(['changed', 'same']);
  });

  it('says what was moved, changed, deleted and purged since', async () => {
    await write(loci, { content: 'The oven key is under the mat of the porch.', title: 'Key' });
    const { pack, receipt } = await stored();
    const { id } = receipt;
    await writeNotes(vault, {
      'Home/Oven.md': `# Oven\n\nA new line.\n\n${NOTES['Home/Oven.md'].slice(8)}`,
      'Plumber.md': '# Plumber\n\nNobody.\n',
    });
    await indexVaults(loci);
    const prompt = `x ${pack.text}`;
    const pieces = (await piecesOf({ id, prompt })).filter(({ field }) => field === 'content');
    expect(states(pieces, 'Home/Oven.md').toSorted()).toEqual(['moved', 'same']);
    expect(states(pieces, 'Plumber.md').toSorted()).toEqual(['changed', 'same']);
    expect(states(pieces, 'record/')).toEqual(['same']);
    for (const piece of pieces) {
      const { citation, prompt: at, state } = piece;
      if (state !== 'moved') continue;
      const text = Buffer.from(prompt).subarray(at!.start, at!.end).toString();
      expect((await get(loci, { citation: citation! })).text, JSON.stringify(piece)).toContain(text.trim());
    }
    const key = (await records()).find(({ origin }) => origin === 'memory')!;
    await deleteRecord(loci, { id: key.id });
    await rename(join(vault, 'Plumber.md'), join(folder.path, 'gone.md'));
    await indexVaults(loci);
    const later = await piecesOf({ id, prompt });
    const stateOf = (uuid: string): string[] => [
      ...new Set(later.filter(({ record }) => record === uuid).map(({ state }) => state)),
    ];
    expect(stateOf(key.uuid)).toEqual(['deleted']);
    now += 31 * DAY;
    const gone = later.filter(({ state }) => state === 'purged');
    expect(gone.length).toBeGreaterThan(0);
    for (const { citation, hash } of gone) expect([citation, hash.length]).toEqual([null, 64]);
  });

  it('needs a receipt or a prompt, and is of the caller’s own namespace', async () => {
    const { pack, receipt } = await stored();
    await expect(verifyReceipt(loci, {})).rejects.toMatchObject({ code: 'invalid_input' });
    const other = loci.as({ ...loci.caller, namespace: 'other' });
    await expect(verifyReceipt(other, { id: receipt.id })).rejects.toMatchObject({ code: 'not_found' });
    expect((await verifyReceipt(other, { prompt: pack.text })).receipts).toEqual([]);
    expect((await listReceipts(other, { limit: 5 })).receipts).toEqual([]);
  });
});

describe('a mark', () => {
  it('is given to an item by its place, its citation or its record, with the query that the receipt has as a hash', async () => {
    const { receipt } = await stored();
    const { id } = receipt;
    const [first] = receipt.pieces;
    const mark = await markReceipt(loci, { id, item: '1', verdict: 'useful', query: QUERY });
    expect(mark).toEqual({ receipt: id, record: first!.record, verdict: 'useful', query: QUERY });
    const changed = await markReceipt(loci, { id, item: first!.record, verdict: 'not-useful' });
    expect(changed).toMatchObject({ record: mark.record, verdict: 'not-useful', query: QUERY });
    await markReceipt(loci, { id, item: 'Home/Oven.md', verdict: 'useful' });
    const shown = (await showReceipt(loci, { id })).receipt;
    expect(shown).toMatchObject({ query: QUERY, marked_at: new Date(now).toISOString() });
    expect(shown.candidates.filter(({ verdict }) => verdict !== undefined)).toHaveLength(2);
    const { entries: log } = await audit(loci, { limit: 10, action: 'mark' });
    expect(log).toHaveLength(3);
    expect(JSON.stringify(log)).not.toContain(QUERY);
    expect(await verifyReceipt(loci, { id })).toMatchObject({ receipts: [{ id }] });
  });

  it('is refused for another query, and for an item that the receipt does not have', async () => {
    const { receipt } = await stored();
    const request = { id: receipt.id, item: '1', verdict: 'useful' } as const;
    await expect(markReceipt(loci, { ...request, query: 'other' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await write(loci, { content: 'Not in the receipt.' });
    for (const item of ['0', '99', 'record/3', 'nothing of that name'])
      await expect(markReceipt(loci, { ...request, item }), item).rejects.toMatchObject({
        code: 'not_found',
      });
  });
});
