import { describe, expect, it } from 'vitest';
import { makeStyle } from '../../format/style.ts';
import { deleteRecord, undelete, update, write } from './changes.ts';

const view = { style: makeStyle(false), columns: 80, terminal: false, options: new Set<string>() };
const embedded = { embedded: true, why: null };
const written = { id: 2, citation: 'record/2', same_as: null, masked: [], replayed: false, ...embedded };

describe('write', () => {
  it('names the new record, a duplicate, a replay and a missing embedding', () => {
    expect(write.render(written, view)).toBe('Remembered as record/2.\n');
    expect(write.render({ ...written, same_as: 1 }, view)).toContain('\nrecord/1 has the same text');
    expect(write.render({ ...written, replayed: true }, view)).toBe(
      'Remembered before as record/2, with the same idempotency key; nothing was written now.\n',
    );
    expect(write.render({ ...written, embedded: false, why: 'no\u001b[2Jmodel' }, view)).toContain(
      '\nFound by its words for now: no␛[2Jmodel.\n',
    );
  });

  it('warns only if secrets were masked', () => {
    expect(write.warnings?.(written)).toEqual([]);
    expect(write.warnings?.({ ...written, masked: ['AWS key', 'GitHub token'] })).toEqual([
      'secrets were masked before anything was stored: AWS key, GitHub token',
    ]);
  });
});

describe('update', () => {
  const updated = { id: 2, citation: 'record/2', changed: ['title', 'tags'], reembedded: false, masked: [] };

  it('names the changed fields, and a missing embedding if the text changed', () => {
    const notEmbedded = { embedded: false, why: 'it is down' };
    expect(update.render({ ...updated, ...notEmbedded }, view)).toBe('Changed record/2: title, tags.\n');
    expect(update.render({ ...updated, ...notEmbedded, reembedded: true }, view)).toBe(
      'Changed record/2: title, tags.\nFound by its words for now: it is down.\n',
    );
    expect(update.render({ ...updated, ...embedded, changed: [] }, view)).toMatch(/^record\/2 is unchanged/);
    expect(update.warnings?.({ ...updated, ...embedded, masked: ['AWS key'] })).toHaveLength(1);
  });
});

describe('delete and undelete', () => {
  it('name the record, and until when it can be restored', () => {
    const deleted = {
      id: 2,
      title: 'Work\u202etop',
      deleted_at: '2026-11-22T12:00:00.000Z',
      purged_after: '2099-12-22T12:00:00.000Z',
    };
    expect(deleteRecord.render(deleted, view)).toMatch(
      /^Deleted record\/2 \(Work\ufffdtop\)\. `loci undelete 2` restores it until 2\d December 2099\.\n$/,
    );
    expect(deleteRecord.render({ ...deleted, title: '' }, view)).toMatch(/^Deleted record\/2\. /);
    const restored = { id: 2, title: 'Worktop', citation: 'record/2', ...embedded };
    expect(undelete.render(restored, view)).toBe('Restored record/2 (Worktop).\n');
  });
});
