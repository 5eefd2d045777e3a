/**
 * Bundles the library, the command line and the plugins for OpenClaw, with the packages that they use, into `dist/bundle/`: a
 * command then loads a few files in place of several hundred, and starts in about two thirds of the time, and an installation needs
 * no other package than the model.
 */

import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SOURCES = join(ROOT, 'src/');

const ENGINE = 'openclaw-engine';
/** A gateway keeps the modules that it has loaded, so that another build must have another address. */
const HASHED: ReadonlySet<string> = new Set([ENGINE]);

/** The modules that programs import, without `.ts`, by the names of their chunks. */
export const LIBRARY_MODULES: Readonly<Record<string, string>> = {
  index: 'src/index',
  adapters: 'src/adapters/index',
  'adapters-contract': 'test/adapters/contract/suite',
};

export function libraryModules(folder: string, ending: string): Record<string, string> {
  const paths = Object.entries(LIBRARY_MODULES).map(([name, module]) => [
    name,
    join(folder, `${module}${ending}`),
  ]);
  return Object.fromEntries(paths) as Record<string, string>;
}

interface BundleOptions {
  /** The names of the chunks to make, without `.js`, and the paths of their modules, which are bundled with all their imports. */
  readonly modules: Readonly<Record<string, string>>;
  /** The URL of a source file, as an expression in the bundle. SQL, WebAssembly and the manifest are found relative to it. */
  readonly addressOf: (path: string) => string;
  readonly plugins?: readonly Plugin[];
  /** Names that stand for expressions. */
  readonly define?: Readonly<Record<string, string>>;
}

/** What is in one file where so many others need it. */
const SHARED_FILES = [
  { name: 'zod', test: /node_modules\/zod\// },
  { name: 'yaml', test: /node_modules\/yaml\// },
  { name: 'core', test: /src\/core\/(?!threads)/, minShareCount: 8 },
  { name: 'store', test: /src\/store\/(?!postgres|sqlite)/, minShareCount: 4 },
];

/** Returns the files of the bundle. Worker threads have files of their own. */
export async function bundle({
  modules,
  addressOf,
  plugins = [],
  define = {},
}: BundleOptions): Promise<OutputChunk[]> {
  const addresses: Plugin = {
    name: 'addresses',
    transform(code, id) {
      if (!id.startsWith(SOURCES) || !code.includes('import.meta.url')) return null;
      return code.replaceAll(
        /workerModule\(import\.meta\.url, '([\w-]+)'\)|import\.meta\.url/g,
        (_, worker: string | undefined) => {
          if (worker === undefined) return addressOf(id);
          this.emitFile({ type: 'chunk', id: join(dirname(id), `${worker}.ts`), fileName: `${worker}.js` });
          return `new URL('./${worker}.js', import.meta.url)`;
        },
      );
    },
  };
  // The keys of the settings follow from their schema, which takes a tenth of the time of a command to convert.
  const settingKeys: Plugin = {
    name: 'setting-keys',
    async transform(code, id) {
      if (id !== join(SOURCES, 'config/keys.ts')) return null;
      const expression = 'z.toJSONSchema(configSchema, SCHEMA_OPTIONS)';
      if (!code.includes(expression)) throw new Error(`${id} does not have ${expression}.`);
      const { settingsSchema } = await import('../src/config/keys.ts');
      return code.replace(expression, JSON.stringify(settingsSchema));
    },
  };
  const build = await rolldown({
    input: { ...modules },
    platform: 'node',
    // The model is located by the path of its package. LanceDB and the interface of OpenTelemetry are optional packages of the host;
    // the latter is in the bundle as well, because `prom-client` needs it.
    external: (id, importer) =>
      /^(@lat\.md\/|@lancedb\/lancedb$|apache-arrow$)/.test(id) ||
      (id === '@opentelemetry/api' && importer?.startsWith(SOURCES) === true),
    plugins: [...plugins, addresses, settingKeys],
    transform: { define },
  });
  const { output } = await build.generate({
    // A file for what almost every command loads: to load fifty more takes 20 ms.
    codeSplitting: { groups: SHARED_FILES },
    entryFileNames: ({ name }) => (HASHED.has(name) ? '[name]-[hash].js' : '[name].js'),
    chunkFileNames: '[name]-[hash].js',
  });
  return output.filter((file) => file.type === 'chunk');
}

/** The URL of a file of this machine as a string literal. */
export function fileAddress(path: string): string {
  return JSON.stringify(pathToFileURL(path).href);
}

/** The licences of the packages in the bundle. They ask to be distributed with the code. */
function licencesOf(chunks: readonly OutputChunk[]): string {
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  const folders = new Set(
    modules.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? []),
  );
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Record<string, string>;
    const [file] = globSync('{LICENSE,LICENCE,license,licence,License}*', { cwd: folder }).sort();
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
    return `${String(name)} ${String(version)} (${String(license)})\n\n${text}\n`;
  });
  return `The compiled code of Loci contains these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** The URL of a compiled source file, as an expression in a bundle in this folder of `dist/`. */
function compiledAddress(folder: string): (path: string) => string {
  return (path) => {
    const compiled = relative(join(SOURCES, folder), path).replace(/\.ts$/, '.js').replaceAll(sep, '/');
    return `new URL(${JSON.stringify(compiled)}, import.meta.url).href`;
  };
}

/** Makes everything that Node runs. */
export async function bundlePrograms(): Promise<void> {
  const programs = await bundleCommandAndLibrary();
  await Promise.all([bundleMemoryPlugin(programs), bundleCorpusPlugin()]);
}

async function bundleCommandAndLibrary(): Promise<OutputChunk[]> {
  const target = join(ROOT, 'dist/bundle');
  const chunks = await bundle({
    modules: {
      ...libraryModules(ROOT, '.ts'),
      main: join(SOURCES, 'surfaces/cli/main.ts'),
      [ENGINE]: join(SOURCES, 'surfaces/openclaw/engine/modules.ts'),
    },
    addressOf: compiledAddress('bundle'),
  });
  mkdirSync(target, { recursive: true });
  for (const { fileName, code } of chunks) writeFileSync(join(target, fileName), code);
  writeFileSync(join(target, 'LICENSES.txt'), licencesOf(chunks));
  return chunks;
}

/**
 * Makes the entry of the plugin `memory-loci`, which is one file: OpenClaw copies it at each start. It loads the engine from its place.
 * @param programs the chunks that have the engine
 */
async function bundleMemoryPlugin(programs: readonly OutputChunk[]): Promise<void> {
  const engine = programs.find(({ name, isEntry }) => isEntry && name === ENGINE);
  if (engine === undefined) throw new Error('The bundle has no engine.');
  const chunks = await bundle({
    modules: { 'openclaw-memory': join(SOURCES, 'surfaces/openclaw/memory-plugin.ts') },
    addressOf: compiledAddress('bundle'),
    define: { BUNDLED_ENGINE: JSON.stringify(`dist/bundle/${engine.fileName}`) },
  });
  if (chunks.length !== 1) throw new Error('The plugin memory-loci is not one file.');
  const hash = createHash('sha256');
  for (const { fileName, code } of programs) hash.update(`${fileName}\n${code}`);
  const code = `// Of the code of Loci: ${hash.digest('hex')}\n${chunks[0]!.code}`;
  writeFileSync(join(ROOT, 'dist/bundle/openclaw-memory.js'), code);
}

/** Makes the folder of the plugin `loci-corpus`, which is one file. */
async function bundleCorpusPlugin(): Promise<void> {
  const target = join(ROOT, 'dist/loci-corpus');
  const chunks = await bundle({
    modules: { index: join(SOURCES, 'surfaces/openclaw/corpus-plugin.ts') },
    addressOf: compiledAddress('loci-corpus'),
  });
  if (chunks.length !== 1) throw new Error('The plugin loci-corpus is not one file.');
  cpSync(join(ROOT, 'openclaw/loci-corpus'), target, { recursive: true });
  writeFileSync(join(target, 'index.js'), chunks[0]!.code);
}
