import { describe, expect, it } from 'vitest';
import { makeStyle } from '../../format/style.ts';
import { deleteRenderer, undeleteRenderer, updateRenderer, writeRenderer } from './changes.ts';

const view = { style: makeStyle(false), columns: 80, terminal: false, options: new Set<string>() };
const embedded = { embedded: true, why: null };
const written = { id: 2, citation: 'record/2', same_as: null, masked: [], replayed: false, ...embedded };

describe('write', () => {
  it('says what became of it', () => {
    expect(writeRenderer.render(written, view)).toBe('Remembered as record/2 (id 2).\n');
    expect(writeRenderer.render({ ...written, same_as: 1 }, view)).toContain(
      '\nThe same text was remembered',
    );
    expect(writeRenderer.render({ ...written, replayed: true }, view)).toBe(
      'Remembered before as record/2 (id 2), under the same idempotency key; nothing was written now.\n',
    );
    expect(writeRenderer.render({ ...written, embedded: false, why: 'no\u001b[2Jmodel' }, view)).toContain(
      '\nFound by its words for now: no␛[2Jmodel.\n',
    );
  });

  it('warns of secrets that were masked, and of nothing else', () => {
    expect(writeRenderer.notices?.(written)).toEqual([]);
    expect(writeRenderer.notices?.({ ...written, masked: ['AWS key', 'GitHub token'] })).toEqual([
      'secrets were masked before anything was stored: AWS key, GitHub token',
    ]);
  });
});

describe('update', () => {
  const updated = { id: 2, citation: 'record/2', changed: ['title', 'tags'], reembedded: false, masked: [] };

  it('names what changed, and tells of the embedding where the text did', () => {
    const apart = { embedded: false, why: 'it is down' };
    expect(updateRenderer.render({ ...updated, ...apart }, view)).toBe('Changed record/2: title, tags.\n');
    expect(updateRenderer.render({ ...updated, ...apart, reembedded: true }, view)).toBe(
      'Changed record/2: title, tags.\nFound by its words for now: it is down.\n',
    );
    expect(updateRenderer.render({ ...updated, ...embedded, changed: [] }, view)).toMatch(
      /^record\/2 stays as it was/,
    );
    expect(updateRenderer.notices?.({ ...updated, ...embedded, masked: ['AWS key'] })).toHaveLength(1);
  });
});

describe('delete and undelete', () => {
  it('name the record, and until when it can be brought back', () => {
    const deleted = {
      id: 2,
      title: 'Work\u202etop',
      deleted_at: '2026-11-22T12:00:00.000Z',
      purged_after: '2099-12-22T12:00:00.000Z',
    };
    expect(deleteRenderer.render(deleted, view)).toMatch(
      /^Deleted record\/2 \(Work\ufffdtop\)\. `loci undelete 2` brings it back until 2\d December 2099\.\n$/,
    );
    expect(deleteRenderer.render({ ...deleted, title: '' }, view)).toMatch(/^Deleted record\/2\. /);
    const back = { id: 2, title: 'Worktop', citation: 'record/2', ...embedded };
    expect(undeleteRenderer.render(back, view)).toBe('record/2 (Worktop) is back.\n');
  });
});
