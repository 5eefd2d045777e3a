import { basename } from 'node:path';
import { z } from 'zod';
import { auth, type AuthConfig, server, type ServerConfig } from './server-schema.ts';
import { nameKey } from './same-name.ts';
import { source, type SourceConfig, vault, type VaultConfig } from './sources-schema.ts';
import { duration, label, path, size } from './values.ts';

/** The settings in force, parsed: durations are milliseconds, sizes bytes, paths absolute. */
export interface Config {
  readonly namespace: string;
  readonly project: string;
  readonly store: {
    readonly path: string;
    readonly busyTimeout: number;
  };
  readonly embedding: {
    readonly provider: 'local' | 'none';
    readonly threads: number;
  };
  readonly vaults: readonly VaultConfig[];
  readonly sources: readonly SourceConfig[];
  /** Folders of skills. */
  readonly skills: readonly { readonly path: string }[];
  readonly search: {
    readonly limit: number;
    readonly preset: 'default' | 'classic';
    readonly fusion?: 'minmax' | 'rrf';
    readonly weights: {
      readonly vector?: number;
      readonly text?: number;
      readonly spelling?: number;
      readonly trigram?: number;
      readonly recency?: number;
    };
    readonly minScore: number;
    readonly related: number;
    readonly stages: {
      readonly smoothing: boolean;
      readonly dates: boolean;
      readonly kinds: boolean;
      readonly titles: boolean;
      readonly speakers: boolean;
      readonly sessions: boolean;
      readonly roles: boolean;
    };
  };
  readonly writes: {
    readonly enabled: boolean;
    readonly secrets: 'refuse' | 'mask' | 'allow';
  };
  readonly retention: {
    readonly purgeAfterDays: number;
  };
  readonly startup: {
    readonly enabled: boolean;
    readonly mode: 'always' | 'first-run' | 'digest';
    readonly maxChars: number;
    readonly maxCharsByModel: Readonly<Record<string, number>>;
  };
  readonly index: {
    readonly maxFileSize: number;
    readonly passageTokens: number;
  };
  readonly server: ServerConfig;
  readonly auth: AuthConfig;
  readonly log: {
    readonly level: 'error' | 'warn' | 'info' | 'debug';
  };
}

const characters = () => z.number().int().min(0).max(1_000_000);
const weight = () => z.number().min(0).max(1).exactOptional();

const store = z.strictObject({
  path: path()
    .default('loci.db')
    .describe('The file that holds everything Loci remembers. It is made when it is missing.'),
  busyTimeout: duration('5s').describe('How long to wait for another process that is writing to the store.'),
});

const embedding = z.strictObject({
  provider: z
    .enum(['local', 'none'])
    .default('local')
    .describe(
      'What makes embeddings: `local` is the bundled model, offline; `none` searches by text and recency alone.',
    ),
  threads: z
    .number()
    .int()
    .min(0)
    .max(64)
    .default(0)
    .describe('How many threads embed while indexing; 0 chooses by the number of processors.'),
});

const weights = z.strictObject({
  vector: weight().describe('Weight of likeness in meaning. The preset’s unless given; so for all weights.'),
  text: weight().describe('Weight of full text (BM25).'),
  spelling: weight().describe('Weight of full text with misspelt words corrected.'),
  trigram: weight().describe('Another name of `search.weights.spelling`, which takes precedence over it.'),
  recency: weight().describe('Weight of how new a record is. It breaks ties, whatever its weight.'),
});

const stages = z.strictObject({
  smoothing: z
    .boolean()
    .default(true)
    .describe('Lend a turn of a conversation some of the score of the turns beside it.'),
  dates: z
    .boolean()
    .default(true)
    .describe('Prefer records of the dates that the query names ("last week", "in May 2024").'),
  kinds: z
    .boolean()
    .default(true)
    .describe(
      'Prefer what sources brought of the kind that the query names ("kitchen todos", "my calendar").',
    ),
  titles: z.boolean().default(true).describe('Prefer records whose title or alias the query names.'),
  speakers: z.boolean().default(true).describe('Prefer turns of a speaker whom the query names.'),
  sessions: z.boolean().default(true).describe('Prefer turns of the sessions that match best as a whole.'),
  roles: z.boolean().default(true).describe('Prefer what a user said over what an assistant answered.'),
});

const search = z.strictObject({
  limit: z.number().int().min(1).max(1000).default(10).describe('How many results a search returns.'),
  fusion: z
    .enum(['minmax', 'rrf'])
    .exactOptional()
    .describe(
      'How rankings are joined: by scores scaled to 0–1, or by Reciprocal Rank Fusion. The preset’s unless given.',
    ),
  preset: z
    .enum(['default', 'classic'])
    .default('default')
    .describe('`classic` is Reciprocal Rank Fusion of the four signals with no further stage.'),
  minScore: z
    .number()
    .min(0)
    .max(1)
    .default(0.04)
    .describe(
      'Results that score below this are left out: how sure a result is to be about the query. 0 shows everything.',
    ),
  related: z
    .number()
    .int()
    .min(0)
    .max(100)
    .default(8)
    .describe(
      'How many documents of sources are shown beside the results at most, where these leave no room for todos and events ' +
        'that belong to what was asked. Never more than `limit`.',
    ),
  weights: weights.prefault({}).describe('How much each signal counts.'),
  stages: stages.prefault({}).describe('Steps of ranking that can be switched off one by one.'),
});

const index = z.strictObject({
  maxFileSize: size('5MB').describe(
    'Larger files are skipped, and listed; of a note that grew beyond it, the last state stays.',
  ),
  passageTokens: z
    .number()
    .int()
    .min(32)
    .max(256)
    .default(200)
    .describe(
      'How long a passage may grow, in tokens of the embedding model. After a change, run `loci index`.',
    ),
});

const writes = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe(
      'Whether agents may write, update, delete and undelete records over MCP and REST. The command line always may; ' +
        'facts, which expire, always may be stored.',
    ),
  secrets: z
    .enum(['refuse', 'mask', 'allow'])
    .default('mask')
    .describe(
      'What happens to keys, tokens and other credentials in a text that is written: the write is refused, or they are ' +
        'masked before anything is stored, or they are kept.',
    ),
});

const retention = z.strictObject({
  purgeAfterDays: z
    .number()
    .int()
    .min(1)
    .max(36_500)
    .default(30)
    .describe('How many days a deleted record can be brought back. Then it is purged.'),
});

const startup = z.strictObject({
  enabled: z.boolean().default(true).describe('Whether startup entries are injected at all.'),
  mode: z
    .enum(['always', 'first-run', 'digest'])
    .default('digest')
    .describe(
      '`always` injects them at every turn, `first-run` once a session, `digest` again when they have changed since the ' +
        'session saw them, and else those marked `reinforce`.',
    ),
  maxChars: characters().default(6000).describe('Budget of what is injected, in characters.'),
  maxCharsByModel: z
    .record(z.string().min(1), characters())
    .default({})
    .describe(
      'Budgets by a part of the model’s name, such as `opus: 6000`; the longest part that fits wins.',
    ),
});

const log = z.strictObject({
  level: z
    .enum(['error', 'warn', 'info', 'debug'])
    .default('warn')
    .describe('How much is told on standard error.'),
});

/** Everything that `loci.yaml` may hold. Each key's `describe` is its documentation. */
export const configSchema: z.ZodType<Config> = z
  .strictObject({
    namespace: label()
      .default('default')
      .describe('Whose memory this is. Nobody sees the records of another namespace.'),
    project: label().default('default').describe('The project of records that name none.'),
    store: store.prefault({}).describe('Where records live.'),
    embedding: embedding.prefault({}).describe('How texts become vectors.'),
    vaults: z
      .array(vault)
      .prefault([])
      .describe('The vaults that `loci index` reads when it is given no path.'),
    sources: z
      .array(source)
      .prefault([])
      .describe(
        'Commands that print what the agent should simply know: todos, a calendar, whatever gives JSON.',
      ),
    skills: z
      .array(z.strictObject({ path: path().describe('A folder with a folder for each skill.') }))
      .prefault([])
      .describe(
        'Folders of skills. Each folder in them whose `SKILL.md` says `memorySource:` in its front matter is a source, once ' +
          'its command is approved.',
      ),
    search: search.prefault({}).describe('How records are found.'),
    writes: writes.prefault({}).describe('What agents may write.'),
    retention: retention.prefault({}).describe('How long what was deleted can be brought back.'),
    startup: startup.prefault({}).describe('What an agent is told before it begins.'),
    index: index.prefault({}).describe('How files are read.'),
    server: server.prefault({}).describe('How `loci serve` is reached.'),
    auth: auth
      .prefault({})
      .describe('Who may come in over HTTP. Tokens made with `loci token create` always may.'),
    log: log.prefault({}).describe('What is logged.'),
  })
  .superRefine(({ sources, vaults }, context) => {
    const named = [
      ...vaults.map(({ name, path: folder }, i) =>
        name === undefined
          ? { name: basename(folder), place: ['vaults', i, 'path'] }
          : { name, place: ['vaults', i, 'name'] },
      ),
      ...sources.map(({ id }, i) => ({ name: id, place: ['sources', i, 'id'] })),
    ];
    const taken = new Map<string, string>();
    for (const { name, place } of named) {
      const other = taken.get(nameKey(name));
      taken.set(nameKey(name), other ?? name);
      if (other === undefined) continue;
      const differs = other === name ? '' : `, which ${name} differs from in case alone`;
      const message = `another source or vault is called ${other}${differs}`;
      // `said`: the message tells what is wrong by itself.
      context.addIssue({ code: 'custom', path: place, message, params: { said: true } });
    }
  });
