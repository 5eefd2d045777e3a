import { dirname } from 'node:path';
import type { IModule } from 'dependency-cruiser';

/** A folder with more files than this is hard to survey. Tests are not counted. */
const MAX_FILES = 15;
const TEST_FILE = /\.test\.ts$/;

/** A folder that violates a rule. */
export interface FolderFault {
  readonly folder: string;
  readonly message: string;
}

/** Folders with more than 15 source files. */
export function crowdedFolders(files: readonly string[]): FolderFault[] {
  const sources = files.filter((file) => !TEST_FILE.test(file));
  return [...Map.groupBy(sources, (file) => dirname(file))]
    .filter(([, members]) => members.length > MAX_FILES)
    .map(([folder, members]) => ({
      folder,
      message: `${folder} has ${String(members.length)} source files, more than ${String(MAX_FILES)}: split it by noun, or merge small files`,
    }));
}

interface Import {
  readonly from: string;
  readonly to: string;
}

/**
 * Folders whose files import values from a subfolder that imports values from these files. Imports of types and dynamic
 * imports are allowed both ways, because they do not determine the order in which modules are loaded.
 */
export function mutualImports(modules: readonly IModule[]): FolderFault[] {
  const imports = modules.filter(({ source }) => !TEST_FILE.test(source)).flatMap(valueImports);
  const upward = imports.filter(({ from, to }) => dirname(from).startsWith(`${dirname(to)}/`));
  return upward.flatMap(({ from, to }) => {
    const folder = dirname(to);
    const [name = ''] = from.slice(folder.length + 1).split('/');
    const subfolder = `${folder}/${name}/`;
    const downward = imports.find((each) => dirname(each.from) === folder && each.to.startsWith(subfolder));
    if (downward === undefined) return [];
    const message = `${from} imports ${to}, while ${downward.from} imports ${downward.to}`;
    return [{ folder, message }];
  });
}

/**
 * The parts of a folder that import each other, such as `admin and records`. A part is a subfolder, or a file that is in no subfolder.
 * Imports of types and dynamic imports count too.
 */
export function mutualParts(modules: readonly IModule[], folder: string): string[] {
  const partOf = (path: string): string | null =>
    path.startsWith(`${folder}/`) ? (path.slice(folder.length + 1).split('/')[0] ?? null) : null;
  const imports = new Set<string>();
  for (const { source, dependencies } of modules)
    for (const { resolved } of TEST_FILE.test(source) ? [] : dependencies) {
      const [from, to] = [partOf(source), partOf(resolved)];
      if (from !== null && to !== null) imports.add(`${from} and ${to}`);
    }
  return [...imports].filter((pair) => {
    const [from = '', to = ''] = pair.split(' and ');
    return from < to && imports.has(`${to} and ${from}`);
  });
}

function valueImports({ source, dependencies }: IModule): Import[] {
  return dependencies
    .filter(({ dynamic, dependencyTypes }) => !dynamic && !dependencyTypes.includes('type-only'))
    .map(({ resolved }) => ({ from: source, to: resolved }));
}
