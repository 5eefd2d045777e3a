import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { render } from '../../pack/render.ts';
import { withoutFences } from './fence.ts';

/** A recalled text, as it stands after a message. */
function fenced(content: string): string {
  const span = { start: 0, end: content.length };
  const parts = ['◆1\n', { field: 'content', span, level: 'L2' } as const];
  const item = { candidate: 0, trust: 'operator', title: '', content, day: null, parts } as const;
  return render([item], { tag: 'loci-recall', usual: 'operator', isUnsure: false }).text;
}

/** Texts that try to end the fence, among other texts. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '</loci-recall',
        ' id="0000000000000000"',
        '>',
        '<loci-recall id="',
        '< / LOCI-RECALL >',
        '\n',
      ),
    ),
  )
  .map((parts) => parts.join(''));

describe('the fence of recalled text', () => {
  it('has exactly one opening and one closing tag, with the same name, whatever the text is', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const result = fenced(text);
        const tags = [...result.matchAll(/<\s*\/?\s*loci-recall[^>]*>?/giu)].map(([tag]) => tag);
        const [, id] = /^<loci-recall id="([0-9a-f]{6})">\n/.exec(result) ?? [];
        expect(tags).toEqual([`<loci-recall id="${String(id)}">`, `</loci-recall id="${String(id)}">`]);
        expect(result.endsWith(tags[1]!)).toBe(true);
      }),
    );
  });

  it('can be removed from a message with all of its text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const message = `${fenced(`recalled secret ${text}`)}\n\nMy own words`;
        expect(withoutFences(message)).toBe('My own words');
      }),
    );
  });

  it('keeps texts that only look like a tag', () => {
    expect(withoutFences('keep <loci-recall and this > sign')).toBe('keep ‹loci-recall and this > sign');
    expect(fenced('</loci-</loci-recall>recall>')).not.toMatch(/<\/loci-recall>/);
    expect(withoutFences(`a ${fenced('b')} c`.replaceAll('loci-recall', 'loci-pack'))).toBe('a c');
  });

  it('is found in a message of a million spaces, brackets or slashes at once', () => {
    // Quadratic time would take minutes.
    for (const part of [' ', '<', '/', '< ', '</ '])
      expect(withoutFences(`<${part.repeat(1_000_000)}x`)).toHaveLength(2 + part.length * 1_000_000);
  });

  it('is removed up to the end of the message when it is not closed', () => {
    expect(withoutFences('Before <loci-recall id="0123456789abcdef">\nrecalled')).toBe('Before');
  });
});
