import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunk } from './passages.ts';

function words(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

/** Counts like a WordPiece tokenizer: two special tokens, words in pieces of six letters, and other characters one by one. */
function wordPieces(text: string): number {
  return 2 + (text.match(/\p{L}{1,6}|\p{N}{1,3}|[^\s\p{L}\p{N}]/gu)?.length ?? 0);
}

function codePoints(text: string): number {
  return [...text].length;
}

function visible(text: string): string {
  return text.replace(/\s+/g, '');
}

describe('chunk, for every text', () => {
  const counters = [words, wordPieces, codePoints];
  const fragment = fc.oneof(
    fc.constantFrom(
      ...[
        '# ',
        '## ',
        '###### ',
        '\n',
        '\n\n',
        '- ',
        '  - ',
        '1. ',
        '> ',
        '```\n',
        '~~~\n',
        '---\n',
        '===\n',
        '| a | b |\n',
      ],
      ...[
        '|-|-|\n',
        '    ',
        '\t',
        '\r\n',
        '\r',
        '[[',
        ']]',
        '![[',
        '[a]: b\n',
        '<div>\n',
        '\\',
        '*',
        '`',
        '。',
        '！',
        '. ',
      ],
      ...[
        '\0',
        '\uFEFF',
        '\u2028',
        '\u00A0',
        '\uD83D',
        '\uDE00',
        '😀',
        '👩‍👩‍👧',
        'é',
        '漢字',
        'end.',
        'a word ',
        '^id\n',
        '<!-- x',
        '%% y',
      ],
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.lorem({ maxCount: 30 }),
  );
  // The text has no complete comment and no front matter, so that a passage must contain every visible character.
  const content = fc.array(fragment, { maxLength: 60 }).map(
    (parts) =>
      `\n${parts
        .join('')
        .replaceAll('-->', '')
        .replace(/%%([^]*)%%/g, '%%$1')}`,
  );
  const options = fc.record({
    maxTokens: fc.integer({ min: 3, max: 60 }),
    countTokens: fc.constantFrom(...counters),
  });

  it('returns every visible character once and in order, within the limit and on the reported lines', () => {
    fc.assert(
      fc.property(content, options, (text, { maxTokens, countTokens }) => {
        const passages = chunk(text, { maxTokens, countTokens });
        expect(visible(passages.map((passage) => passage.text).join(''))).toBe(visible(text));
        const lines = text.split('\n');
        let from = 0;
        for (const passage of passages) {
          expect(countTokens(passage.text)).toBeLessThanOrEqual(maxTokens);
          expect(visible(passage.text)).not.toBe('');
          const start = text.indexOf(passage.text, from);
          expect(start).toBeGreaterThanOrEqual(from);
          from = start + passage.text.length;
          const reportedLines = lines.slice(passage.startLine - 1, passage.endLine).join('\n');
          expect(reportedLines).toContain(passage.text);
          expect(passage.text.split('\n').length).toBe(passage.endLine - passage.startLine + 1);
        }
        expect(chunk(text, { maxTokens, countTokens })).toEqual(passages);
      }),
      { numRuns: 1000 },
    );
  });

  it('omits exactly front matter and whole-line comments', () => {
    const part = fc.constantFrom(
      'para one',
      '# Title',
      '- item\n- item',
      '```\ncode %%\n```',
      '%%\nHID\n\nDEN\n%%',
      '<!-- HID\nDEN -->',
      '%% HIDDEN %%',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), options, (parts, { maxTokens, countTokens }) => {
        const text = `---\nkey: HIDDEN\n---\n${parts.join('\n\n')}`;
        const shown = parts.filter((name) => !name.includes('HID')).join('');
        const passages = chunk(text, { maxTokens, countTokens });
        expect(visible(passages.map((passage) => passage.text).join(''))).toBe(visible(shown));
      }),
    );
  });
});
