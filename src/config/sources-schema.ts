import { z } from 'zod';
import { command, duration, label, path, type ValueKind } from './values.ts';

/** What every source may say of itself, a vault as well as a command. */
export interface SourceSwitches {
  /** Factor of its scores: above 1 it stands higher than its match alone would put it. */
  readonly weight?: number;
  /** Results of it that score below are left out. */
  readonly minScore: number;
  /** Milliseconds. */
  readonly refreshInterval: number;
  readonly includeInContext: boolean;
  readonly enabled: boolean;
  readonly project?: string;
}

/** One Obsidian vault, or any folder of Markdown. */
export interface VaultConfig extends Partial<SourceSwitches> {
  readonly name?: string;
  readonly path: string;
  /** Folder within the vault → project. */
  readonly projects?: Readonly<Record<string, string>>;
}

/** How newness counts among the documents of a source. */
export interface RecencyConfig {
  /** 0 to 1; as `search.weights.recency` unless given. */
  readonly weight?: number;
  /** Milliseconds after which half of it is left. */
  readonly halfLife: number;
}

/** Templates that make a document of what a command prints: `{{title}} — {{notes}}`. */
export interface DocumentMap {
  /** Where the list stands in what is printed: `items`, `data.tasks`. */
  readonly items?: string;
  readonly id?: string;
  readonly text?: string;
  readonly title?: string;
  readonly tags?: string;
  readonly timestamp?: string;
  readonly completed?: string;
  readonly project?: string;
  readonly url?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A source without its id: what the front matter of a skill may hold. */
export interface SourceSettings extends SourceSwitches {
  readonly name?: string;
  /** A line that is split as a shell would, or program and arguments. */
  readonly command: string | readonly string[];
  readonly shell: boolean;
  readonly cwd?: string;
  /** Names of variables that the command sees, beside those that every program needs. */
  readonly env: readonly string[];
  /** Files and folders whose change needs a new approval. */
  readonly watch: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
  readonly maxDocuments: number;
  readonly recency: RecencyConfig;
  readonly keepCompleted: boolean;
  readonly allowEmpty: boolean;
  /** What of a document may be indexed; everything unless given. */
  readonly fields?: readonly string[];
  readonly map?: DocumentMap;
}

/** A command that prints documents. */
export interface SourceConfig extends SourceSettings {
  readonly id: string;
}

/** Parts of a document that `fields` may name, beside single entries: `metadata.sender`. */
export const DOCUMENT_FIELDS = [
  'text',
  'title',
  'tags',
  'timestamp',
  'metadata',
  'completed',
  'project',
  'url',
] as const;

const weight = () =>
  z
    .number()
    .min(0)
    .max(2)
    .exactOptional()
    .describe(
      'Factor of its scores. Unless given 1 for vaults and 0.5 for commands: a note stands above a todo that matches as well. ' +
        'Of a document of a command that is nearer in meaning to the query than the best notes, less is taken away. ' +
        'What a skill says of its own counts up to 0.5.',
    );
const minScore = () =>
  z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('Results of it that score below this are left out, whatever `search.minScore` is.');
const includeInContext = () =>
  z
    .boolean()
    .default(true)
    .describe(
      'Whether it may be given to a model unasked, or stand beside the results of a search. It is found all the same.',
    );
const enabled = () =>
  z
    .boolean()
    .default(true)
    .describe(
      'Off, it is neither read nor found, nor refreshed by hand; what is known of it stays in the store.',
    );
const project = () =>
  label()
    .exactOptional()
    .describe('The project of documents that name none. The top-level `project` unless given.');

export const vault: z.ZodType<VaultConfig, object> = z.strictObject({
  name: label()
    .exactOptional()
    .describe(
      'What results call the vault. The name of its folder unless given. With a name, a vault may move: its records ' +
        'stay when its path changes.',
    ),
  path: path().describe('The folder of the vault.'),
  project: label()
    .exactOptional()
    .describe(
      'The project of notes that name none in their front matter. The top-level `project` unless given.',
    ),
  projects: z
    .record(z.string(), label())
    .exactOptional()
    .describe(
      'The project of notes below a folder of the vault; the deepest folder wins, front matter wins over it.',
    ),
  refreshInterval: duration('30s').describe(
    'How often whoever stays open (`loci watch`, `serve`, `mcp`) looks for changed notes.',
  ),
  weight: weight(),
  minScore: minScore(),
  includeInContext: includeInContext(),
  enabled: enabled(),
});

const recency = z.strictObject({
  weight: z
    .number()
    .min(0)
    .max(1)
    .exactOptional()
    .describe('How much it counts that a document is of these days. `search.weights.recency` unless given.'),
  halfLife: duration('7d').describe('After this time from now, before or behind, half of that is left.'),
});

const template = (what: string) => z.string().min(1).max(1000).exactOptional().describe(what);

const map = z.strictObject({
  items: template('Where the list of documents stands in what is printed, such as `items` or `data.tasks`.'),
  id: template('Template of the id; `{{id}}` unless given.'),
  text: template(
    'Template of the text, such as `{{title}} — {{notes}}`. Places that are missing are left empty.',
  ),
  title: template('Template of the title.'),
  tags: template('Template of the tags: a list, or words with commas between them.'),
  timestamp: template('Template of the time: ISO 8601, or a number of seconds or milliseconds since 1970.'),
  completed: template(
    'Template of whether it is done: `true`, `yes`, `done`, `completed`, `x` and the like.',
  ),
  project: template('Template of the project.'),
  url: template('Template of the address.'),
  metadata: z
    .record(z.string().min(1).max(64), z.string().min(1).max(1000))
    .exactOptional()
    .describe('Templates of what else to keep, by name.'),
});

const settings = {
  name: label().exactOptional().describe('What results call it: `From Google Tasks`. The id unless given.'),
  command: command().describe(
    'The program that prints the documents, with its arguments: a line that is split as a shell would split it, without ' +
      'running one, or a list. It must be approved before it first runs: `loci sources approve`.',
  ),
  shell: z.boolean().default(false).describe('Run the line with `/bin/sh -c`, for pipes and variables.'),
  cwd: path().exactOptional().describe('The folder that it runs in. The folder of `loci.yaml` unless given.'),
  env: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
        .meta({ kind: 'variable' satisfies ValueKind }),
    )
    .default([])
    .describe(
      'Names of variables of the environment that it may see, beside PATH, HOME, USER, LANG, LC_*, TZ and TMPDIR.',
    ),
  watch: z
    .array(z.string().min(1).max(4096))
    .max(100)
    .default([])
    .describe(
      'Files and folders that the command uses: when one of them changes, the source must be approved again. Paths are relative ' +
        'to the working folder of the command, and may be absolute or begin with `~/`. All files of a folder count.',
    ),
  refreshInterval: duration('5m').describe(
    'How often whoever stays open (`loci watch`, `serve`, `mcp`) runs it.',
  ),
  timeout: duration('30s').describe('After this time it is ended, with every process that it started.'),
  maxDocuments: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(500)
    .describe('How many documents are kept: completed ones go first, then the oldest.'),
  weight: weight(),
  minScore: minScore(),
  recency: recency.prefault({}).describe('How newness counts among its documents.'),
  keepCompleted: z
    .boolean()
    .default(false)
    .describe(
      'Keep completed documents like others when there are too many. They are ranked last either way.',
    ),
  allowEmpty: z
    .boolean()
    .default(false)
    .describe('Let a first answer without documents take them all away; else it takes two in a row.'),
  fields: z
    .array(
      z
        .string()
        .regex(new RegExp(`^(?:${DOCUMENT_FIELDS.join('|')}|metadata\\.[^.]+)$`))
        .meta({ kind: 'field' satisfies ValueKind }),
    )
    .min(1)
    .exactOptional()
    .describe(
      `What of a document may be stored at all: ${DOCUMENT_FIELDS.join(', ')}, or one entry such as \`metadata.sender\`. ` +
        'Everything unless given.',
    ),
  map: map.exactOptional().describe('How to make documents of JSON that was not made for Loci.'),
  includeInContext: includeInContext(),
  enabled: enabled(),
  project: project(),
};

/** What `memorySource:` of a skill may hold. */
export const sourceSettings: z.ZodType<SourceSettings, object> = z.strictObject(settings);

export const source: z.ZodType<SourceConfig, object> = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)
    .meta({ kind: 'id' satisfies ValueKind })
    .describe(
      'A short name of small letters, digits, dots, dashes and underscores. Its documents belong to it.',
    ),
  ...settings,
});
