import type { RecordHeader, StoredPassage } from '../../src/store/search-model.ts';

interface StoredPassageFields extends Partial<Omit<StoredPassage, 'record'>> {
  readonly record?: Partial<RecordHeader>;
}

/** A passage of a note in a vault; the given fields replace the defaults. */
export function storedPassage({ record, ...fields }: StoredPassageFields = {}): StoredPassage {
  const header: RecordHeader = {
    namespace: 'default',
    id: 1,
    uuid: '00000000-0000-7000-8000-000000000001',
    project: 'default',
    origin: 'vault',
    source: 'notes',
    trust: 'operator',
    key: 'note.md',
    category: 'note',
    recordType: 'note',
    title: '',
    tags: [],
    metadata: {},
    createdAt: 0,
    updatedAt: 0,
    deletedAt: null,
    expiresAt: null,
    ...record,
  };
  return {
    id: 1,
    ordinal: 0,
    headings: [],
    text: 'Words of a note.',
    context: null,
    startLine: 1,
    endLine: 1,
    hash: '',
    ...fields,
    record: header,
  };
}
