import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { CONFIG_KEYS } from '../../config/keys.ts';
import { CONFIG_FILE, effectiveSettings, effectiveSetting } from '../../config/load.ts';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { makePrivateFolder, replaceFile } from '../../core/fs/files.ts';
import { type OperationContext, operation, withNames } from '../operation.ts';
import { addVaults, placeFolders } from '../shared/vault-settings.ts';
import { localPath, filterValue } from '../../engine/fields/record-fields.ts';
import { storeStatus } from '../../engine/health/status.ts';
import { assertVaultNamesAreFree } from '../../engine/reading/configured/vault-names.ts';
import {
  locateStore,
  openStore,
  type StoreSettings,
  connectStore,
  assertPath,
  namesDatabase,
} from '../../store/registry.ts';
import { configSet as writeSetting } from '../../config/edit.ts';
import { isKeyItself, shownSetting } from '../../config/secrets.ts';
import type { Json } from '../../core/types.ts';
import { detectSecrets } from '../../secrets/detect.ts';
import { sha256 } from '../../core/ids.ts';
import { expandHome } from '../../config/paths.ts';
import { copyStore } from '../../store/sql/admin/copy-store.ts';
import { mapStrings } from '../../core/json.ts';
import { maskSecrets } from '../../secrets/secret.ts';

const initInput = z.strictObject({
  vault: localPath().exactOptional().describe('A folder of notes to add to the settings.'),
});

const initOutput = z.strictObject({
  home: z.string().describe('The home folder.'),
  config_file: z.string(),
  store: z.string().describe('Path of the store.'),
  created: z.array(z.enum(['home', 'config', 'store', 'vault'])).describe('What was missing before.'),
  vault: z.strictObject({ name: z.string(), path: z.string() }).nullable(),
  vaults: z.array(z.string()).describe('The folders of notes in the settings.'),
  notes: z.array(z.string()).describe('Remarks for the owner.'),
  shadowdb: z
    .string()
    .nullable()
    .describe(
      'The table of the memories of ShadowDB in the database of the store, until it is imported: `loci import --table`.',
    ),
});

type InitInput = z.infer<typeof initInput>;
export type InitOutput = z.infer<typeof initOutput>;

const configShowOutput = z.strictObject({
  home: z.string(),
  file: z.string().describe('The path of loci.yaml, which may not exist.'),
  settings: z.array(
    z.strictObject({
      key: z.string(),
      value: z.json(),
      origin: z.string().describe('`default`, `loci.yaml:12` or `env LOCI_SEARCH_LIMIT`.'),
    }),
  ),
  warnings: z.array(z.string()).describe('Keys and variables that are ignored, or have another name now.'),
});

export type ConfigShowOutput = z.infer<typeof configShowOutput>;

const configGetInput = z.strictObject({
  key: filterValue().describe('Path of the setting, such as `search.limit`.'),
});

const configGetOutput = z.strictObject({
  key: z.string(),
  value: z.json(),
  origin: z.string().describe('`default`, `loci.yaml:12` or `env LOCI_SEARCH_LIMIT`.'),
});

export type ConfigGetOutput = z.infer<typeof configGetOutput>;

const configSetInput = z.strictObject({
  key: filterValue().describe('Path of the setting, such as `search.limit`.'),
  value: z
    .json()
    .describe(
      'The new value. A text is read as a shell gives it: `20`, `true`, `5s`, a list as YAML or JSON.',
    ),
});

const configSetOutput = z.strictObject({
  key: z.string(),
  value: z.json().describe('The value in the file. Secrets are masked.'),
  origin: z.string().describe('The line of the setting: `loci.yaml:12`.'),
  file: z.string(),
  in_clear: z
    .boolean()
    .describe(
      'Whether the value is a key itself, which is now in the file, and not the place of one: `env:NAME`.',
    ),
  overridden_by: z.string().nullable().describe('An environment variable that overrides the new value.'),
});

export type ConfigSetOutput = z.infer<typeof configSetOutput>;

const migrateStoreInput = z.strictObject({
  to: z
    .string()
    .min(1)
    .max(4096)
    .describe(
      'Where the new store is: a connection string that begins with `postgres://`, the place of one (`env:NAME`, `file:/path`), or the ' +
        'path of a file for SQLite.',
    ),
});

const migrateStoreOutput = z.strictObject({
  from: z.string(),
  to: z.string(),
  namespaces: z.array(
    z.strictObject({
      namespace: z.string(),
      records: z.number().int(),
      passages: z.number().int(),
      vectors: z.number().int(),
      audit_entries: z.number().int(),
      rows: z.number().int().describe('Rows of all tables.'),
    }),
  ),
});
export type MigrateStoreOutput = z.infer<typeof migrateStoreOutput>;

export const settingOperations = withNames({
  init: operation({
    description:
      'Makes the home folder (readable only by you), a commented loci.yaml and an empty store. Existing ones stay as they ' +
      'are. With a vault, adds that folder of notes to the settings; `index` then reads it.',
    input: initInput,
    output: initOutput,
    kind: 'write',
    scope: 'admin',
    local: true,
    examples: [
      { title: 'Make a home folder with an empty store', input: {} },
      { title: 'Add a folder of notes as well', input: { vault: '~/vault' } },
    ],
    run: runInit,
  }),
  'config-show': operation({
    description:
      'Lists every effective setting, and whether it is a default or comes from loci.yaml or the environment. Secrets are masked.',
    output: configShowOutput,
    kind: 'read',
    scope: 'admin',
    local: true,
    examples: [{ title: 'All effective settings', input: {} }],
    run: async (context) => {
      const config = await context.loadConfig();
      return {
        home: config.home,
        file: config.file,
        settings: await Promise.all(
          effectiveSettings(config).map(async ({ path, value, origin }) => ({
            key: path,
            value: await printedSetting(path, value),
            origin,
          })),
        ),
        warnings: [...config.warnings],
      };
    },
  }),
  'config-get': operation({
    description: 'Returns one effective setting, and where it comes from. Secrets are masked.',
    input: configGetInput,
    output: configGetOutput,
    kind: 'read',
    scope: 'admin',
    local: true,
    examples: [{ title: 'How many results a search returns', input: { key: 'search.limit' } }],
    run: async (context, { key }) => {
      const { value, origin } = effectiveSetting(await context.loadConfig(), key);
      return { key, value: await printedSetting(key, value), origin };
    },
  }),
  'config-set': operation({
    description:
      'Writes one setting into loci.yaml, and keeps its comments and everything else. A wrong value is refused, and ' +
      'nothing is written.',
    input: configSetInput,
    output: configSetOutput,
    kind: 'write',
    scope: 'admin',
    local: true,
    examples: [
      { title: 'Five results a search', input: { key: 'search.limit', value: '5' } },
      { title: 'Search by text and recency only', input: { key: 'embedding.provider', value: 'none' } },
    ],
    run: async (context, { key, value }) => {
      const change = await writeSetting(key, value, context).catch(async (error: unknown) => {
        // The message repeats the value.
        if (!(error instanceof LociError) || !(await hasCredential(value))) throw error;
        throw new LociError(
          error.code,
          `${key}: the given value is not valid; it has a credential and is not repeated`,
          {
            hint: `docs/configuration.md says what ${key} takes.`,
          },
        );
      });
      return {
        key: change.path,
        value: await printedSetting(change.path, change.value),
        in_clear: isKeyItself(change.path, change.value),
        origin: change.origin,
        file: change.file,
        overridden_by: change.overriddenBy ?? null,
      };
    },
  }),
  'migrate-store': operation({
    description:
      'Copies everything that Loci remembers, vectors and the audit log included, into an empty store in PostgreSQL or in a file, and ' +
      'compares every row. The store itself stays as it is and in use: set `store.connectionString` or `store.path` afterwards. Nothing ' +
      'may write to either store meanwhile. A copy that was stopped goes on where it was.',
    input: migrateStoreInput,
    output: migrateStoreOutput,
    kind: 'write',
    scope: 'operator',
    local: true,
    steps: true,
    // The run would make the store differ from its copy.
    unrecorded: true,
    examples: [{ title: 'Into another file', input: { to: '~/loci-copy.db' } }],
    run: async (context, { to }) => {
      const { store: settings } = (await context.loadConfig()).values;
      const target = settingsOf(to);
      const [from, into] = [locateStore(settings), locateStore(target)];
      const identity = await from.identity();
      if (from.name === into.name || (identity !== null && identity === (await into.identity())))
        throw new LociError('invalid_input', `to: ${into.name} is the store itself`);
      const source = await connectStore(settings, { create: false });
      try {
        const copy = await connectStore(target, { create: true });
        try {
          const copied = await copyStore(
            source.driver,
            copy.driver,
            sha256(`${from.name} ${String(identity)}`),
            {
              signal: context.signal,
              onProgress: context.onProgress,
            },
          );
          return {
            from: from.name,
            to: into.name,
            namespaces: copied.flatMap(({ namespace, rows }) =>
              namespace === ''
                ? []
                : [
                    {
                      namespace,
                      records: rows['record'] ?? 0,
                      passages: rows['passage'] ?? 0,
                      vectors: rows['embedding'] ?? 0,
                      audit_entries: rows['audit'] ?? 0,
                      rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
                    },
                  ],
            ),
          };
        } finally {
          await copy.close();
        }
      } finally {
        await source.close();
      }
    },
  }),
});

async function runInit(context: OperationContext, { vault }: InitInput): Promise<InitOutput> {
  const created: InitOutput['created'] = [];
  const file = join(context.home, CONFIG_FILE);
  // Checks the path before anything is made.
  const before = await context.loadConfig();
  const placed = vault === undefined ? null : await placeFolders([vault], before, false);
  if (await makePrivately(context.home)) created.push('home');
  if (!existsSync(file)) {
    await replaceFile(file, starterConfig(), 0o600).catch((error: unknown) => throwUnwritable(file, error));
    created.push('config');
  }
  const store = locateStore(before.values.store);
  if (await isMissing(before.values.store)) created.push('store');
  const loci = await context.loci({ create: true });
  await storeStatus(loci);
  await assertVaultNamesAreFree(loci, placed?.unconfigured ?? []);
  const notes = await addVaults(context, placed?.unconfigured ?? []);
  if (placed !== null && placed.unconfigured.length > 0) created.push('vault');
  const [added] = placed?.vaults ?? [];
  const { vaults, store: settings } = (await context.loadConfig()).values;
  const place = settings.connectionString;
  return {
    home: context.home,
    config_file: file,
    store: store.name,
    created,
    vault: added === undefined ? null : { name: added.name, path: added.path },
    vaults: vaults.map(({ path }) => path),
    notes,
    shadowdb:
      place === undefined
        ? null
        : await (await import('../../engine/portable/shadowdb.ts')).shadowdbTable(loci, place),
  };
}

async function isMissing(store: StoreSettings): Promise<boolean> {
  try {
    await (await openStore(store, { create: false, inline: true })).close();
    return false;
  } catch (error) {
    if (error instanceof LociError && error.code === 'store_not_found') return true;
    throw error;
  }
}

async function makePrivately(home: string): Promise<boolean> {
  try {
    const wasMade = makePrivateFolder(home);
    // The umask may have removed rights of the owner.
    if (wasMade) await chmod(home, 0o700);
    return wasMade;
  } catch (error) {
    return throwUnwritable(home, error);
  }
}

function throwUnwritable(path: string, error: unknown): never {
  throw new LociError('unreadable', `${path} cannot be made: ${describeFileError(error)}`, {
    hint: 'Check that you may write there, or name another home folder with LOCI_HOME.',
    cause: error,
  });
}

/** The settings that people change most. docs/configuration.md has the others. */
const OFFERED = ['namespace', 'embedding.provider', 'search.limit', 'search.minScore', 'writes.enabled'];

const HEAD = `# Settings of Loci. Each has a default; remove the # of a line to change it.
# \`loci config show\` lists all settings, and docs/configuration.md of Loci explains them.
# \`loci config set KEY VALUE\` writes into this file and keeps your comments.

# Folders of notes. \`loci index FOLDER\` adds one.
#vaults:
#  - path: ~/notes
#    project: personal
`;

/** The first loci.yaml. It has only comments, so it changes nothing. */
function starterConfig(): string {
  const keys = CONFIG_KEYS.filter(({ path }) => OFFERED.includes(path));
  const lines = [HEAD];
  let section = '';
  for (const { path, description, default: value } of keys) {
    const [first = '', inner] = path.split('.');
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (inner === undefined) {
      lines.push(`# ${description}`, `#${first}: ${text}`, '');
      continue;
    }
    if (first !== section) lines.push(`#${first}:`);
    section = first;
    lines.push(`#  # ${description}`, `#  ${inner}: ${text}`);
  }
  return `${lines.join('\n')}\n`;
}

async function hasCredential(value: Json): Promise<boolean> {
  return (await detectSecrets(typeof value === 'string' ? value : JSON.stringify(value))).length > 0;
}

function settingsOf(place: string): StoreSettings {
  assertPath(place, 'to');
  return namesDatabase(place) ? { path: '', connectionString: place } : { path: resolve(expandHome(place)) };
}

/** A setting as it may be printed: without keys and passwords, also those in a command or an address. */
function printedSetting(path: string, value: Json): Promise<Json> {
  return mapStrings(shownSetting(path, value), async (text, name) =>
    maskSecrets(text, await detectSecrets(text, name)),
  );
}
