import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../test/contract/export-samples.ts';
import { openEmbedder } from '../../embed/registry.ts';
import { write } from '../records/write.ts';
import { otherLanguageShare } from './status.ts';

const ENGLISH =
  'We take the induction oven and not gas, because the line would have to be moved to the other wall.';
const GERMAN =
  'Wir nehmen den Induktionsherd und kein Gas, weil die Leitung sonst an die andere Wand verlegt werden muss.';
const JAPANESE = '台所の改装は月曜日に始まります。タイルの見本を買うこと。';

async function shareOf(...contents: string[]): Promise<number | null> {
  const context = await openEngine();
  for (const content of contents) await write(context, { content });
  const embedder = (await openEmbedder({ provider: 'local' }))!;
  return otherLanguageShare(context, embedder).finally(() => embedder.close());
}

describe('the share of records in other languages', () => {
  it('counts records in another language or script', async () => {
    expect(await shareOf(ENGLISH, GERMAN, `${ENGLISH} Truly.`, JAPANESE)).toBe(0.5);
  });

  it('is null for English records, and for texts without a recognisable language', async () => {
    expect(await shareOf(ENGLISH, 'Maren Holt, Ifeoma Okafor')).toBeNull();
    expect(await shareOf()).toBeNull();
  });
});
