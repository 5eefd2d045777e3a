import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frontMatterSpan, isUnclosedFrontMatter } from './front-matter-span.ts';

function parts(content: string): [yaml: string, body: string] | null {
  const span = frontMatterSpan(content);
  return span === null ? null : [content.slice(span.yamlStart, span.yamlEnd), content.slice(span.bodyStart)];
}

describe('frontMatterSpan', () => {
  it('finds YAML between fences at the beginning of the text', () => {
    expect(parts('---\na: 1\nb: 2\n---\nbody\n')).toEqual(['a: 1\nb: 2\n', 'body\n']);
    expect(parts('\uFEFF--- \r\na: 1\r\n---\r\nbody')).toEqual(['a: 1\r\n', 'body']);
    expect(parts('---\n---\nbody')).toEqual(['', 'body']);
    expect(parts('---\n# a comment\n\n"a key": [x\n---')).toEqual(['# a comment\n\n"a key": [x\n', '']);
    expect(parts('---\nkey:\n  - value\n---\n\n---\nmore')).toEqual(['key:\n  - value\n', '\n---\nmore']);
  });

  it('finds JSON, TOML, and YAML whose keys are indented', () => {
    expect(parts('---\n  a: 1\n  b: 2\n---\nbody')).toEqual(['  a: 1\n  b: 2\n', 'body']);
    expect(parts('+++\na = 1\n+++\nbody')).toEqual(['a = 1\n', 'body']);
    expect(parts('---json\n{"a": 1}\n---\nbody')).toEqual(['{"a": 1}\n', 'body']);
    expect(parts(';;;\n{\n"a": 1\n}\n;;;\nbody')).toEqual(['{\n"a": 1\n}\n', 'body']);
    expect(parts('{\n  "a": {\n    "b": 1\n  }\n}\nbody')).toEqual([
      '{\n  "a": {\n    "b": 1\n  }\n}',
      'body',
    ]);
  });

  it('ignores a block that is not closed, not at the beginning, or no list of fields', () => {
    for (const content of [
      '',
      'text',
      '---',
      '---\na: 1\n',
      '---\na: 1\n----\n',
      '---\na: 1\n --- \n',
      '\n---\na: 1\n---\n',
      '---\nHello there.\n---\n',
      '---json\na: 1\n---\n',
      '+++\ntext\n+++\n',
      ';;;\ntext\n;;;\n',
      '{\ntext\n}\n',
      '{ "a": 1 }\n',
      '---\n- a list\n---\n',
      '---\nhttp://a.b\n---\n',
      `---\na: 1\n${'b: 2\n'.repeat(10_000)}---\n`,
      `---\na: ${'x'.repeat(32_768 - 12)}\n---more`,
    ]) {
      expect(frontMatterSpan(content), content.slice(0, 40)).toBeNull();
    }
  });

  it('returns ordered offsets for any text', () => {
    const piece = fc.constantFrom('---', '\n', '\r\n', 'a: b', ' ', '#', '\uFEFF', 'text', '"', ':');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const content = `---\n${pieces.join('')}`;
        const span = frontMatterSpan(content);
        if (span === null) return;
        expect(span.yamlStart).toBeLessThanOrEqual(span.yamlEnd);
        expect(content.slice(span.yamlEnd)).toMatch(/^---[ \t]*(\r?\n|\r?$)/);
        expect(span.bodyStart === content.length || content[span.bodyStart - 1] === '\n').toBe(true);
      }),
    );
  });
});

describe('isUnclosedFrontMatter', () => {
  it('tells a forgotten fence from a thematic break', () => {
    expect(isUnclosedFrontMatter('---\ntitle: never closed\ntags: [x]\n\nText.')).toBe(true);
    for (const content of ['---\ntitle: closed\n---\nText.', '---\n\nText.', '---\nText.', 'title: x', ''])
      expect(isUnclosedFrontMatter(content)).toBe(false);
  });
});
