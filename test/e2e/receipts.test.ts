import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PackOutput } from '../../src/engine/packs/memory-pack.ts';
import type {
  ReceiptMarkOutput,
  ReceiptListOutput,
  ReceiptShowOutput,
} from '../../src/engine/packs/receipts.ts';
import type { ReceiptVerifyOutput } from '../../src/engine/packs/verify-receipt.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

let home: string;
let folder: string;

beforeEach(async () => {
  folder = temporaryFolder();
  home = join(folder, 'home');
  mkdirSync(join(folder, 'notes'));
  writeFileSync(join(folder, 'notes/Oven.md'), '# Oven\n\nThe oven door has a marzipan handle.\n');
  await loci(['index', join(folder, 'notes')], { home });
});

const json = <Output>(...args: readonly string[]): Promise<Output> => lociJson<Output>(args, { home });

describe('the receipt of a pack', () => {
  it('is listed, shown and found in a prompt, from a file and from standard input', async () => {
    const packed = await json<PackOutput>('pack', 'oven door');
    const id = packed.receipt_id!;
    expect((await json<ReceiptListOutput>('receipt', 'list')).receipts).toMatchObject([
      { id, kind: 'pack', items: 1, used_tokens: packed.tokens },
    ]);
    const { receipt } = await json<ReceiptShowOutput>('receipt', 'show', id);
    expect(receipt.candidates).toMatchObject([{ included: true, reason: null }]);
    expect(JSON.stringify(receipt)).not.toMatch(/oven|marzipan/i);
    const prompt = `You are helpful.\n${packed.text}`;
    writeFileSync(join(folder, 'prompt.txt'), prompt);
    const expected = { receipts: [{ id, whole: true }], prompt_bytes: Buffer.byteLength(prompt) };
    const verify = ['receipt', 'verify', '--prompt-file'];
    const fromFile = await json<ReceiptVerifyOutput>(...verify, join(folder, 'prompt.txt'));
    expect(fromFile).toMatchObject(expected);
    const line = fromFile.receipts[0]!.pieces.find(({ citation }) => citation === 'Oven.md#L3-L3')!;
    expect(Buffer.from(prompt).subarray(line.prompt!.start, line.prompt!.end).toString()).toBe(
      'The oven door has a marzipan handle.',
    );
    const piped = await lociJson<ReceiptVerifyOutput>([...verify, '-'], { home, stdin: prompt });
    expect(piped).toEqual(fromFile);
    const { stdout } = await loci([...verify, join(folder, 'prompt.txt')], { home, columns: 100 });
    expect(stdout).toContain(`${id}  pack`);
    expect(stdout).toMatch(/\d+-\d+ +same +L\d +content +yes +Oven\.md#L3-L3/);
    expect(stdout).toMatch(/\d+ of \d+ bytes came from records\n/);
  });

  it('is marked, keeps its marks, and is exported with them', async () => {
    const id = (await json<PackOutput>('pack', 'oven door')).receipt_id!;
    await json('pack', 'oven');
    const mark = ['receipt', 'mark', id];
    expect(await json(...mark, '1', 'useful', '--query', 'oven door')).toMatchObject({ query: 'oven door' });
    const changed = await json<ReceiptMarkOutput>(...mark, 'Oven.md', 'not-useful');
    expect(changed).toMatchObject({ receipt: id, verdict: 'not-useful', query: 'oven door' });
    const { receipt } = await json<ReceiptShowOutput>('receipt', 'show', id);
    expect(receipt.candidates.flatMap(({ verdict }) => verdict ?? [])).toEqual(['not-useful']);
    await loci(['export', '--to', join(folder, 'memory.jsonl')], { home });
    const other = join(folder, 'other');
    for (const receipts of [{ added: 1 }, { unchanged: 1 }])
      expect(await lociJson(['import', join(folder, 'memory.jsonl')], { home: other })).toMatchObject({
        receipt: receipts,
      });
    const shown = await lociJson<ReceiptShowOutput>(['receipt', 'show', id], { home: other });
    expect(shown.receipt).toEqual(receipt);
    expect((await loci([...mark, '1', 'good'], { home })).code).toBe(2);
  });
});
