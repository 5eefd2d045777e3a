import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { messageOfUser, withoutFences } from './recall.ts';
import { render } from '../../pack/render.ts';

const USER = { trigger: 'user' } as const;

describe('the message of the user in a turn', () => {
  it('is the current message, and not the prompt that the host has made of it', () => {
    const event = { prompt: '[Wed] What about the oven?', currentUserMessage: 'What about the oven?' };
    expect(messageOfUser(event, USER)).toBe('What about the oven?');
  });

  it('has none of what was recalled before', () => {
    const recalled = '<loci-recall id="0123456789abcdef">\nsecret\n</loci-recall id="0123456789abcdef">\n';
    expect(messageOfUser({ prompt: `${recalled}What about the oven?` }, USER)).toBe('What about the oven?');
  });

  it.each([
    ['a heartbeat', { trigger: 'heartbeat' }],
    ['a schedule', { trigger: 'cron' }],
    ['another session', { trigger: 'user', inputProvenance: { kind: 'inter_session' } }],
    ['a subagent', { trigger: 'user', sessionKey: 'agent:main:subagent:1' }],
    ['a turn without a known trigger', {}],
  ])('does not exist for %s', (_, turn) => {
    expect(messageOfUser({ prompt: 'What about the oven?' }, turn)).toBeNull();
  });

  it('does not exist for an image alone, or for a word', () => {
    expect(messageOfUser({ prompt: 'History of the oven', currentUserMessage: '' }, USER)).toBeNull();
    expect(messageOfUser({ prompt: 'yes' }, USER)).toBeNull();
  });
});

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
