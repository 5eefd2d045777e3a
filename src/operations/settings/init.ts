import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CONFIG_KEYS } from '../../config/keys.ts';
import { CONFIG_FILE } from '../../config/load.ts';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { makePrivateFolder, replaceFile } from '../../core/fs/files.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { addVaults, placeFolders } from '../vaults/vaults.ts';
import { localPath } from '../../engine/fields/record-fields.ts';
import { storeStatus } from '../../engine/health/status.ts';
import { assertVaultNamesAreFree } from '../../engine/reading/configured/vault-names.ts';
import { locateStore, openStore, type StoreSettings } from '../../store/registry.ts';

const input = z.strictObject({
  vault: localPath().exactOptional().describe('A folder of notes to add to the settings.'),
});

const output = z.strictObject({
  home: z.string().describe('The home folder.'),
  config_file: z.string(),
  store: z.string().describe('Path of the store.'),
  created: z.array(z.enum(['home', 'config', 'store', 'vault'])).describe('What was missing before.'),
  vault: z.strictObject({ name: z.string(), path: z.string() }).nullable(),
  vaults: z.array(z.string()).describe('The folders of notes in the settings.'),
  notes: z.array(z.string()).describe('Remarks for the owner.'),
});

type InitInput = z.infer<typeof input>;
export type InitOutput = z.infer<typeof output>;

export const initOperation: Operation<typeof input, typeof output> = {
  name: 'init',
  title: 'Set up Loci',
  description:
    'Makes the home folder (readable only by you), a commented loci.yaml and an empty store. Existing ones stay as they ' +
    'are. With a vault, adds that folder of notes to the settings; `index` then reads it.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [
    { title: 'Make a home folder with an empty store', input: {} },
    { title: 'Add a folder of notes as well', input: { vault: '~/vault' } },
  ],
  run: runInit,
};

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
  const { vaults } = (await context.loadConfig()).values;
  return {
    home: context.home,
    config_file: file,
    store: store.name,
    created,
    vault: added === undefined ? null : { name: added.name, path: added.path },
    vaults: vaults.map(({ path }) => path),
    notes,
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
