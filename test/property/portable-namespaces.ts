import fc from 'fast-check';
import { sha256 } from '../../src/core/ids.ts';
import { ORIGINS, TRUST, type Metadata } from '../../src/core/types.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { chunkingOf } from '../../src/engine/embedding/models.ts';
import type { HistoryDraft, StartupEntry } from '../../src/store/admin-model.ts';
import type { RecordImport } from '../../src/store/model.ts';
import { historyChanges, startupPut } from '../../src/store/items/kinds.ts';
import { NOW } from '../contract/store-samples.ts';

/** The content of a namespace to write to a store. */
export interface RandomNamespace {
  readonly records: readonly Omit<RecordImport, 'passages'>[];
  readonly startup: readonly StartupEntry[];
  readonly history: readonly HistoryDraft[];
}

/** Text with a special meaning in front matter, JSON Markdown or line-based formats. */
const HOSTILE = [
  ...['---', '\n---\n', ': ', ' #', '"', "'", '\\', '\n', '\t', '\r\n', '{', '[x]', '| ', '>'],
  ...['&a *a', '!!str ', '\u0085', '\u2028', '\ufeff', '\ufffe', '👩‍👩‍👧', 'é', '漢字', '# '],
  ...['- ', '```', 'true', '12', '~', '__proto__', 'a/b\\..', 'oven', 'harbour', 'maple'],
];

const word = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'grapheme', maxLength: 6 }));
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .oneof(
      { weight: 9, arbitrary: fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')) },
      fc.constant('x'.repeat(maxLength)),
    )
    .map((value) => [...value.slice(0, maxLength)].join('').toWellFormed());
const withoutControlCharacters = (value: string): string =>
  value.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)/g, '');
const nonEmptyText = (maxLength: number): fc.Arbitrary<string> =>
  text(maxLength - 1).map((value) => `m${withoutControlCharacters(value)}`.slice(0, maxLength));

const metadata: fc.Arbitrary<Metadata> = fc.oneof(
  fc.constant({}),
  fc
    .array(fc.tuple(text(40), fc.jsonValue({ maxDepth: 3 })), { maxLength: 4 })
    .map((pairs) => JSON.parse(JSON.stringify(Object.fromEntries(pairs))) as Metadata),
);

const past = fc.integer({ min: -(10 ** 12), max: NOW });

const record = fc.record({
  origin: fc.constantFrom(...ORIGINS),
  trust: fc.constantFrom(...TRUST),
  source: nonEmptyText(20),
  key: fc.option(nonEmptyText(400)),
  identity: fc.option(text(20)),
  category: nonEmptyText(100),
  recordType: nonEmptyText(100),
  project: nonEmptyText(100),
  title: text(500).map(withoutControlCharacters),
  tags: fc.array(nonEmptyText(100), { maxLength: 5 }),
  content: fc.oneof(nonEmptyText(600), text(600)),
  metadata,
  createdAt: past,
  updatedAt: past,
  // Recent enough not to be purged.
  deletedAt: fc.option(fc.integer({ min: NOW - 10 ** 9, max: NOW })),
  expiresAt: fc.option(fc.integer({ min: NOW - 5, max: NOW + 10 ** 9 })),
  revision: fc.option(text(20)),
  gap: fc.integer({ min: 1, max: 3 }),
});

const startup: fc.Arbitrary<StartupEntry> = fc.record({
  agent: fc.constantFrom('', 'ada', 'a: b #"'),
  key: nonEmptyText(500),
  content: nonEmptyText(500),
  priority: fc.integer({ min: 0, max: 9 }),
  reinforce: fc.boolean(),
  createdAt: past,
  updatedAt: past,
  deletedAt: fc.option(past),
});

const history: fc.Arbitrary<HistoryDraft> = fc.record({
  category: fc.constantFrom('pack_history' as const, 'pipeline_history' as const),
  name: text(20),
  surface: text(20),
  actor: text(20),
  inputs: metadata,
  outcome: text(20),
  at: past,
  tookMs: fc.nat(),
  expiresAt: fc.integer({ min: NOW + 1, max: NOW + 9999 }),
});

export const namespaces: fc.Arbitrary<RandomNamespace> = fc
  .record({
    records: fc.array(record, { maxLength: 12 }),
    startup: fc.uniqueArray(startup, {
      maxLength: 4,
      selector: ({ agent, key }) => JSON.stringify([agent, key]),
    }),
    history: fc.uniqueArray(history, { maxLength: 5, selector: (row) => JSON.stringify(row) }),
  })
  .map(({ records, ...rest }) => ({ ...rest, records: withIdentities(records) }));

type RandomRecord = typeof record extends fc.Arbitrary<infer Value> ? Value : never;

/** Gives the records ids with gaps, UUIDs and unique keys, within the limits of the operations that write records. */
function withIdentities(records: readonly RandomRecord[]): RandomNamespace['records'] {
  let id = 0;
  return records.map(({ gap, deletedAt, ...fields }, i) => {
    id += gap;
    const isFact = fields.origin === 'fact';
    const isSourced = fields.origin === 'vault' || fields.origin === 'source';
    const key = fields.key === null && !isFact ? null : `${String(i)} ${fields.key ?? ''}`;
    const content = (
      isSourced ? fields.content : `m${withoutControlCharacters(fields.content)}`
    ).toWellFormed();
    const draft = {
      ...fields,
      uuid: `00000000-0000-7000-8000-${String(i + 1).padStart(12, '0')}`,
      key,
      title: isFact ? (key ?? '') : fields.title,
      content,
      contentHash: sha256(content),
      expiresAt: isFact ? (fields.expiresAt ?? NOW + 1000) : fields.expiresAt,
    };
    return { replaces: null, preferredId: id, draft, deletedAt };
  });
}

/** Writes the namespace to the store of a context, with its audit log. */
export async function fill(
  context: EngineContext,
  { records, startup: entries, history: rows }: RandomNamespace,
): Promise<void> {
  const { store, namespace } = context;
  const chunking = await chunkingOf(context);
  for (const record of records) {
    const passages = record.deletedAt === null ? await chunking.cut(record.draft) : [];
    const { uuid, title, metadata: diff } = record.draft;
    const audit = { at: NOW, actor: title, surface: 'cli', action: 'write', subject: uuid, diff };
    const imports = [{ ...record, passages }];
    await store.records.commit(namespace, {
      imports,
      chunking: chunking.signature,
      audit: [audit],
    });
  }
  await store.records.commit(namespace, { items: entries.map(startupPut), audit: [] });
  await store.records.commit(namespace, { items: historyChanges(rows, 1000) });
}
