import { z } from 'zod';
import type { Trust } from '../core/types.ts';
import { command, duration, label, path, type ValueKind } from './values.ts';

/** The parts of a document that `fields` may name, in addition to single entries such as `metadata.sender`. */
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

/**
 * The key under which names of vaults and sources must be unique. `Notes` and `notes` have the same key, because many file
 * systems and most people treat them as the same name.
 */
export function sourceNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

const weight = () =>
  z
    .number()
    .min(0)
    .max(2)
    .exactOptional()
    .describe(
      'Factor of the scores of its results. The default is 1 for vaults and 0.5 for commands, so that a note ranks above a ' +
        'todo that matches equally well. A document of a command that is closer in meaning to the query than the best notes ' +
        'loses less of its score. A skill cannot give itself a weight above 0.5.',
    );
const minScore = () =>
  z
    .number()
    .min(0)
    .max(1)
    .exactOptional()
    .describe(
      'Leaves out its results that score lower, in addition to `search.minScore`. The default is 0 for vaults. The ' +
        'default for commands is 0.05, and then a document that has all words of the query stays.',
    );
const includeInContext = () =>
  z
    .boolean()
    .default(true)
    .describe(
      'Whether its documents may reach a model that did not ask for it by name: in prompts, as related documents and in ' +
        '`memory_search`. Your own searches find it in any case.',
    );
const enabled = () =>
  z
    .boolean()
    .default(true)
    .describe(
      'If false, it is neither refreshed nor found. The documents that were read before stay in the store.',
    );

export const vault = z.strictObject({
  name: label()
    .exactOptional()
    .describe(
      'The name of the vault in results. The default is the name of its folder. A vault with a name keeps its records when ' +
        'its path changes.',
    ),
  path: path().describe('The folder of the vault.'),
  project: label()
    .exactOptional()
    .describe(
      'The project of notes whose front matter names no project. The default is the top-level `project`.',
    ),
  projects: z
    .record(z.string(), label())
    .exactOptional()
    .describe(
      'Projects by folder of the vault. A note gets the project of the deepest folder that contains it; front matter takes precedence.',
    ),
  dateOrder: z
    .enum(['day-first', 'month-first'])
    .exactOptional()
    .describe(
      'How dates of the notes such as `03-05-2024` are read: `day-first` as 3 May, `month-first` as 5 March. Without this setting, ' +
        'the dates of the vault that have one meaning decide, such as `19-05-2024`; if there are none, or as many of either order, ' +
        'such a date is not read, and `loci index` names it. With dots, the day is first unless this says else.',
    ),
  exclude: z
    .array(
      z
        .string()
        .trim()
        .min(1)
        .max(1000)
        .refine((glob) => !glob.startsWith('!'), 'a glob cannot begin with `!`: nothing is taken back in'),
    )
    .max(100)
    .exactOptional()
    .describe(
      'Globs of notes and folders that are neither read nor shown, as in `.gitignore`: `Private` and `*.draft.md` in every ' +
        'folder, `Work/Clients` or `/Private` at the top. Files that Obsidian hides with its setting "Excluded files" are always left out. ' +
        '`loci index --verbose` lists what was left out, and `loci index` names a glob that matches nothing.',
    ),
  refreshInterval: duration('30s').describe(
    'How often a running `loci sources watch`, `serve` or `mcp` looks for changed notes.',
  ),
  weight: weight(),
  minScore: minScore(),
  includeInContext: includeInContext(),
  enabled: enabled(),
});

type Vault = z.infer<typeof vault>;

/** Whether a date such as `03-05-2024` begins with the day or with the month. */
export type DateOrder = NonNullable<Vault['dateOrder']>;

/** An Obsidian vault, or any folder of Markdown. Only the path is required. */
export interface VaultConfig extends Partial<Omit<Vault, 'path'>> {
  readonly path: string;
  /** The names of the only files and folders of the vault that are read. Not a setting: a host program gives it. */
  readonly include?: readonly string[];
  /** A pattern, with `/`, of the only paths below the folder that are read. Not a setting either. */
  readonly pattern?: string;
  /**
   * The real paths of folders in it that are not read. With them, even with none, symbolic links are not followed, because they could
   * lead there. Not a setting either.
   */
  readonly otherFolders?: readonly string[];
  /** Who is responsible for the notes: `operator` unless a host program gives another. */
  readonly trust?: Trust;
}

const template = (description: string) => z.string().min(1).max(1000).exactOptional().describe(description);

const map = z.strictObject({
  items: template('Path of the list of documents in the output, such as `items` or `data.tasks`.'),
  id: template('Template of the id. The default is `{{id}}`.'),
  text: template('Template of the text, such as `{{title}} — {{notes}}`. Missing values are left out.'),
  title: template('Template of the title.'),
  tags: template('Template of the tags: a list, or words separated by commas.'),
  timestamp: template('Template of the time: ISO 8601, or seconds or milliseconds since 1970.'),
  day: template(
    'Template of the day of a document for which `timestamp` gives no time. A time of day is left out.',
  ),
  completed: template(
    'Template of whether the document is completed: `true`, `yes`, `done`, `completed`, `x` or similar.',
  ),
  project: template('Template of the project.'),
  url: template('Template of the URL.'),
  metadata: z
    .record(z.string().min(1).max(64), z.string().min(1).max(1000))
    .exactOptional()
    .describe('Templates of further metadata, by name.'),
});

/** Templates that convert an entry of a command's output to a document, such as `{{title}} — {{notes}}`. */
export type DocumentMap = z.infer<typeof map>;

const settings = {
  name: label()
    .exactOptional()
    .describe('The name of the source in results: `From Google Tasks`. The default is the id.'),
  command: command().describe(
    'The program that prints the documents, with its arguments: a list, or a line, which is split like a shell would, but ' +
      'without running one. It must be approved before its first run: `loci sources approve`.',
  ),
  shell: z
    .boolean()
    .default(false)
    .describe('Whether to run the line with `/bin/sh -c`, for pipes and variables.'),
  cwd: path()
    .exactOptional()
    .describe(
      'The folder in which the command runs. The default is the folder of `loci.yaml`; if the command names a file by a relative path that is not there, the folder beside a folder of `skills` that has it.',
    ),
  env: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
        .meta({ kind: 'variable' satisfies ValueKind }),
    )
    .default([])
    .describe(
      'Names of environment variables that the command may see, in addition to PATH, HOME, USER, LANG, LC_*, TZ and TMPDIR.',
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
    'How often a running `loci sources watch`, `serve` or `mcp` runs it.',
  ),
  timeout: duration('30s').describe(
    'How long the command may run. After that it is terminated, together with every process that it started.',
  ),
  maxDocuments: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(500)
    .describe('How many documents are kept at most. Completed ones are dropped first, then the oldest.'),
  weight: weight(),
  minScore: minScore(),
  keepCompleted: z
    .boolean()
    .default(false)
    .describe(
      'Whether completed documents are kept like others when there are too many. They rank last in any case.',
    ),
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
      `The parts of a document that may be stored: ${DOCUMENT_FIELDS.join(', ')}, or one entry such as \`metadata.sender\`. ` +
        'The default is all of them.',
    ),
  map: map.exactOptional().describe('How to convert JSON in another form to documents.'),
  includeInContext: includeInContext(),
  enabled: enabled(),
  project: label()
    .exactOptional()
    .describe('The project of documents that do not name a project. The default is the top-level `project`.'),
};

/** A source without its id: the keys of `memorySource:` in a skill. */
export const sourceSettings = z.strictObject(settings);

export type SourceSettings = z.infer<typeof sourceSettings>;

export const source = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)
    .meta({ kind: 'id' satisfies ValueKind })
    .describe(
      'A short name of lowercase letters, digits, dots, dashes and underscores. Its documents are stored under it.',
    ),
  kind: z
    .enum(['command', 'conversations'])
    .default('command')
    .describe(
      'What it reads: the documents that a command prints, or the conversations with ChatGPT, Claude, Claude Code and Codex in the files ' +
        'of a folder.',
    ),
  ...settings,
  command: settings.command
    .exactOptional()
    .describe(`${settings.command.description ?? ''} Only for the kind \`command\`, which needs it.`),
  path: path()
    .exactOptional()
    .describe(
      'The folder of the files of the kind `conversations`, such as `~/.claude/projects`. Without it, the settings are those of ' +
        'conversations that `loci import` has stored under this id: `chatgpt`, `claude`, `claude-code` or `codex`.',
    ),
  includeInContext: z
    .boolean()
    .exactOptional()
    .describe(
      `${settings.includeInContext.description ?? ''} The default is true for commands. For conversations, it is false, and then agents do not ` +
        'find them at all.',
    ),
});

/** A source of the settings. A command that prints documents unless its kind is another one. */
export type SourceConfig = z.infer<typeof source>;

/** A source that reads conversations, with the settings that it shares with commands. */
export type ConversationSourceConfig = Omit<SourceConfig, 'command' | 'kind'>;
