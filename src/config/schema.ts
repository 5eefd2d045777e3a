import { basename } from 'node:path';
import { z } from 'zod';
import { EDGE_TYPES, NODE_TYPES } from '../core/graph-types.ts';
import { adapters, memory } from './adapters-schema.ts';
import { embedding, rerank } from './embedding-schema.ts';
import { source, sourceNameKey, vault } from './sources-schema.ts';
import { duration, label, path } from './values.ts';

const name = () => z.string().min(1).max(255);

const server = z.strictObject({
  host: name()
    .default('127.0.0.1')
    .describe(
      'The address to listen on. Put a proxy with TLS in front if other machines can reach it (`0.0.0.0`): tokens are sent ' +
        'in plain text otherwise.',
    ),
  port: z
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(8737)
    .describe('The port to listen on; 0 chooses any free port.'),
  socket: path()
    .exactOptional()
    .describe(
      'A Unix socket to listen on instead of host and port. Only its owner may connect to it (mode 0600).',
    ),
  hosts: z
    .array(name())
    .default([])
    .describe(
      'Host names of this server, such as `memory.example.org`, in addition to those of this machine. A request with any ' +
        'other `Host` is refused.',
    ),
  origins: z
    .array(name())
    .default([])
    .describe('Origins whose pages may call this server from a browser, such as `https://app.example.org`.'),
});

const jwt = z.strictObject({
  secret: z
    .string()
    .min(32)
    .max(4096)
    .exactOptional()
    .describe(
      'The shared secret of JSON Web Tokens signed with HS256, at least 32 characters. Set it in the environment rather ' +
        'than in the file.',
    ),
  jwks: z
    .string()
    .min(1)
    .max(2048)
    .exactOptional()
    .describe(
      'The public keys of JSON Web Tokens (RS256, PS256, ES256, EdDSA): a URL (https, or of this machine), or a file. A ' +
        'relative path starts at the folder of loci.yaml.',
    ),
  issuer: name()
    .exactOptional()
    .describe('The required `iss` of a JSON Web Token. Must be set if a secret or keys are.'),
  audience: name()
    .exactOptional()
    .describe('The required `aud` of a JSON Web Token. Must be set if a secret or keys are.'),
});

export type JwtConfig = z.infer<typeof jwt>;

const auth = z.strictObject({
  jwt: jwt
    .prefault({})
    .describe('JSON Web Tokens: `sub` names the namespace of the caller, `scope` what the caller may do.'),
});

const characters = () => z.number().int().min(0).max(1_000_000);
const weight = () => z.number().min(0).max(1).exactOptional();

const store = z.strictObject({
  path: path()
    .default('loci.db')
    .describe('The file that holds everything Loci remembers. Loci makes it if it is missing.'),
  connectionString: z
    .string()
    .min(1)
    .max(2000)
    .exactOptional()
    .describe(
      'Keeps everything in a database of PostgreSQL instead, such as `postgres://loci@db.example.org/loci`: see docs/postgres.md. ' +
        '`env:NAME` is a variable that has the connection string, `file:/path` a file. One with a password belongs into ' +
        '`LOCI_STORE_CONNECTION_STRING`, not into the file.',
    ),
  directConnectionString: z
    .string()
    .min(1)
    .max(2000)
    .exactOptional()
    .describe(
      'The connection with which tables and indexes are made, if `connectionString` leads to PgBouncer or is that of a user who does ' +
        'not own the tables.',
    ),
  replicaConnectionString: z
    .string()
    .min(1)
    .max(2000)
    .exactOptional()
    .describe(
      'A streaming replica of the server of `connectionString`, which answers reads: see docs/postgres.md.',
    ),
  slowStatement: duration('1s').describe(
    'A statement of PostgreSQL that takes longer is logged by `loci serve`, and counted in `/metrics`: the call, its duration and the ' +
      'id of the namespace, never a text. 0 means none.',
  ),
});

const weights = z.strictObject({
  vector: weight().describe(
    'Weight of similarity in meaning. The default of each weight is that of the preset.',
  ),
  text: weight().describe('Weight of full text (BM25).'),
  spelling: weight().describe('Weight of full text with misspelt words corrected.'),
  recency: weight().describe('Weight of recency. It only breaks ties, whatever its weight.'),
});

const search = z.strictObject({
  limit: z.number().int().min(1).max(1000).default(10).describe('How many results a search returns.'),
  preset: z
    .enum(['default', 'classic'])
    .default('default')
    .describe(
      '`default` is the ranking that measures best; `classic` is Reciprocal Rank Fusion of the four signals and nothing else.',
    ),
  minScore: z
    .number()
    .min(0)
    .max(1)
    .default(0.03)
    .describe(
      'Leaves out results that score lower. The score is the probability that a result, or one of the four after it, is what the query asks for; 0 shows all results.',
    ),
  related: z
    .number()
    .int()
    .min(0)
    .max(100)
    .default(5)
    .describe(
      'How many related documents of sources are shown at most, after the results: todos, events and mails that belong to ' +
        'the best note, or to a note that it links to. Never more than `limit`.',
    ),
  deadline: duration('1s').describe(
    'How long the index may look up the words of a search, and how long it may rank passages. Past it, the results are from ' +
      'what was compared until then, and name the signals that are incomplete. 0 means no deadline.',
  ),
  weights: weights.prefault({}).describe('The weight of each signal.'),
});

const graph = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      'Whether the graph of notes, tasks and projects is derived and used. Searches work without it.',
    ),
  crossProject: z
    .boolean()
    .default(false)
    .describe(
      'Whether a request may ask to follow edges into other projects (`allow_cross_project`). They are in the graph in any case.',
    ),
  crossProjectTypes: z
    .array(z.enum(EDGE_TYPES))
    .default([])
    .describe('The types of edges that such a request follows into other projects.'),
  deadline: duration('1s').describe(
    'How long the graph may take while a text is made that was asked for with it. Past it, the text is made without it and says so. ' +
      '0 means no deadline.',
  ),
  types: z
    .record(z.string().min(1), z.enum(NODE_TYPES))
    .default({})
    .describe(
      'Types of nodes by folder, such as `Decisions: decision` or `Vault:Decisions: decision`, and by name of a vault or source, ' +
        'such as `calendar: event`. The `type` and tags of a note take precedence.',
    ),
});

const writes = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe(
      'Whether agents may write, update, delete and undelete records over MCP and REST. The command line always may, and ' +
        'facts, which expire, may always be stored.',
    ),
  secrets: z
    .enum(['refuse', 'mask', 'allow'])
    .default('mask')
    .describe(
      'What happens to keys, tokens and other credentials in written text: `refuse` the write, `mask` them before anything ' +
        'is stored, or `allow` them.',
    ),
  maskPersonal: z
    .boolean()
    .default(false)
    .describe(
      'Whether numbers of payment cards, IBANs and national ids (of the United States, the United Kingdom, Italy, Spain, France, Brazil ' +
        'and China) in written text are masked before anything is stored. Others are not recognised.',
    ),
});

const retention = z.strictObject({
  purgeAfterDays: z
    .number()
    .int()
    .min(1)
    .max(36_500)
    .default(30)
    .describe('How many days a deleted record can be undeleted. Then it is purged.'),
});

const receipts = z.strictObject({
  retentionDays: z
    .number()
    .int()
    .min(1)
    .max(36_500)
    .default(30)
    .describe(
      'How many days receipts are kept that nobody has marked. They have ids, numbers and hashes, and no content.',
    ),
});

const startup = z.strictObject({
  enabled: z.boolean().default(true).describe('Whether startup entries are injected at all.'),
  mode: z
    .enum(['always', 'first-run', 'digest'])
    .default('digest')
    .describe(
      '`always` injects them at every turn, `first-run` once a session, and `digest` when they have changed since the ' +
        'session last saw them; otherwise only those marked `reinforce`.',
    ),
  maxChars: characters()
    .default(6000)
    .describe(
      'The budget of the injected text, in characters. Entries go in by priority. One that does not fit is cut at a ' +
        'paragraph or a sentence and marked `[… cut]`, and none of a lower priority follows it. Those of priority 0 share ' +
        'the budget, so that none of them is left out whole.',
    ),
  maxCharsByModel: z
    .record(z.string().min(1), characters())
    .default({})
    .describe('Budgets by a part of the model’s name, such as `opus: 6000`. The longest match decides.'),
});

const mcp = z.strictObject({
  tools: z
    .array(
      z.enum([
        'all',
        'graph_concepts',
        'graph_conflicts',
        'graph_export',
        'graph_index',
        'graph_map',
        'graph_pack',
        'graph_path',
        'graph_show',
        'graph_status',
        'memory_categories',
        'memory_corpus',
        'memory_forget',
        'memory_import',
        'memory_list',
        'memory_recall',
        'memory_records',
        'memory_sources',
        'memory_timeline',
        'memory_undelete',
        'record_facets',
        'record_histogram',
        'record_links',
        'record_show',
        'record_table',
        'startup_inject',
        'startup_list',
        'startup_preview',
      ]),
    )
    .default([])
    .describe(
      'Tools that agents see beside `memory_search`, `memory_get`, `memory_write`, `memory_update`, `memory_delete`, `memory_store` and ' +
        '`memory_pack`; `all` of them. Few agents need these, and every tool that an agent sees takes up its context.',
    ),
  outputSchemas: z
    .enum(['auto', 'always', 'never'])
    .default('auto')
    .describe(
      'Whether the list of tools has the types of their results. They are for programs; `auto` leaves them out for the clients that ' +
        'only show the list to a model.',
    ),
});

const log = z.strictObject({
  level: z
    .enum(['error', 'warn', 'info', 'debug'])
    .default('warn')
    .describe('How much is logged on standard error.'),
});

/** Where OpenClaw and Claude Code keep the skills of a user. */
export const DEFAULT_SKILL_FOLDERS: readonly string[] = [
  '~/.openclaw/skills',
  '~/.openclaw/workspace/skills',
  '~/.claude/skills',
];

/** Everything that `loci.yaml` may hold. The `describe` of each key is its documentation. */
export const configSchema = z
  .strictObject({
    namespace: label()
      .default('default')
      .describe('The namespace of this memory. Nobody sees the records of another namespace.'),
    project: label().default('default').describe('The project of records that do not name a project.'),
    store: store.prefault({}).describe('Where records are stored.'),
    embedding: embedding.prefault({}).describe('How texts become vectors.'),
    rerank: rerank
      .prefault({})
      .describe('An optional last stage of searches. It is off unless a provider is named.'),
    vaults: z
      .array(vault)
      .prefault([])
      .describe('The vaults that `loci index` reads when it is given no path.'),
    sources: z
      .array(source)
      .prefault([])
      .describe(
        'Commands whose output the agent should know without asking: todos, a calendar, or anything else that can be JSON. And folders ' +
          'with conversations.',
      ),
    skills: z
      .array(z.strictObject({ path: path().describe('A folder that holds a folder for each skill.') }))
      .prefault(DEFAULT_SKILL_FOLDERS.map((folder) => ({ path: folder })))
      .describe(
        'Folders of skills; those that do not exist are ignored. Each skill whose `SKILL.md` has `memorySource:` in its front ' +
          'matter is a source, once its command is approved.',
      ),
    search: search.prefault({}).describe('How records are found.'),
    graph: graph.prefault({}).describe('How notes are connected.'),
    writes: writes.prefault({}).describe('What agents may write.'),
    mcp: mcp.prefault({}).describe('What agents see over MCP.'),
    retention: retention.prefault({}).describe('How long deleted records are kept.'),
    receipts: receipts.prefault({}).describe('What was given to agents, and why: `loci receipt list`.'),
    startup: startup.prefault({}).describe('The text that an agent receives at the start of a session.'),
    server: server.prefault({}).describe('Where `loci serve` listens.'),
    auth: auth
      .prefault({})
      .describe('Who may call over HTTP, in addition to tokens made with `loci serve token create`.'),
    memory: memory.prefault({}).describe('What searches pools.'),
    adapters: adapters.prefault({}).describe('Pools, and what searches them.'),
    log: log.prefault({}).describe('What is logged.'),
  })
  .superRefine(({ sources, vaults }, context) => {
    for (const [i, { kind, command, path: folder }] of sources.entries()) {
      const isCommand = kind === 'command';
      if (isCommand && command === undefined)
        context.addIssue({ code: 'custom', path: ['sources', i, 'command'] });
      if ((isCommand ? folder : command) === undefined) continue;
      const message = `a source of the kind ${kind} has none`;
      const key = isCommand ? 'path' : 'command';
      context.addIssue({ code: 'custom', path: ['sources', i, key], message, params: { explained: true } });
    }
    const named = [
      ...vaults.map(({ name, path: folder }, i) =>
        name === undefined
          ? { name: basename(folder), key: ['vaults', i, 'path'] }
          : { name, key: ['vaults', i, 'name'] },
      ),
      ...sources.map(({ id }, i) => ({ name: id, key: ['sources', i, 'id'] })),
    ];
    const firstOf = new Map<string, string>();
    for (const { name, key } of named) {
      const first = firstOf.get(sourceNameKey(name));
      if (first === undefined) {
        firstOf.set(sourceNameKey(name), name);
        continue;
      }
      const differs = first === name ? '' : `, which differs from ${name} only in case`;
      const message = `another source or vault is called ${first}${differs}`;
      // `explained`: the message needs no addition of what was expected.
      context.addIssue({ code: 'custom', path: key, message, params: { explained: true } });
    }
  });

/** The effective settings, parsed: durations are in milliseconds, and paths are absolute. */
export type Config = z.infer<typeof configSchema> & {
  /** The folder of `loci.yaml`. Without it, commands run in the home folder of the user. */
  readonly home?: string;
};
