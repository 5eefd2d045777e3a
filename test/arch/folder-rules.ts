import { dirname } from 'node:path';
import type { IModule } from 'dependency-cruiser';

/** More files than this in one folder are more than a reader takes in at once. Tests are not counted. */
const MAX_FILES = 15;
const TEST_FILE = /\.test\.ts$/;

/** What a rule says of a folder. */
export interface FolderFault {
  readonly folder: string;
  readonly message: string;
}

/** Folders of more than 15 source files. */
export function crowdedFolders(files: readonly string[]): FolderFault[] {
  const sources = files.filter((file) => !TEST_FILE.test(file));
  return [...Map.groupBy(sources, (file) => dirname(file))]
    .filter(([, own]) => own.length > MAX_FILES)
    .map(([folder, own]) => ({
      folder,
      message: `${folder} has ${String(own.length)} source files, more than ${String(MAX_FILES)}: split it by noun, or merge small files`,
    }));
}

interface Import {
  readonly from: string;
  readonly to: string;
}

/**
 * Folders whose files import values of a subfolder that imports values of these files in turn. Types may be imported
 * either way, and `import()` may load a subfolder: neither needs the other to be loaded first.
 */
export function importsBack(modules: readonly IModule[]): FolderFault[] {
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

function valueImports({ source, dependencies }: IModule): Import[] {
  return dependencies
    .filter(({ dynamic, dependencyTypes }) => !dynamic && !dependencyTypes.includes('type-only'))
    .map(({ resolved }) => ({ from: source, to: resolved }));
}
