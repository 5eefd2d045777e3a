import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draft } from '../../test/contract/store-samples.ts';
import { offsetsOfPassages, passagesAtOffsets } from './passage-offsets.ts';
import { estimateModelTokens, makePassages } from './passages.ts';

describe('packed passages', () => {
  it('are the same passages after unpacking, for any text', () => {
    const line = fc.oneof(
      fc.constantFrom('', '# One', '## Two', '# One', 'same', 'same words again', '- item', '```', '%% x %%'),
      fc.string({ unit: 'binary', maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const content = lines.join('\n');
        const record = draft({ origin: 'source', title: 'Note', tags: ['Kitchen'], content });
        const passages = makePassages(record, { maxTokens: 8, countTokens: estimateModelTokens });
        const packed = structuredClone(offsetsOfPassages(record.content, passages));
        expect(passagesAtOffsets(record.content, packed)).toEqual(passages);
      }),
    );
  });
});
