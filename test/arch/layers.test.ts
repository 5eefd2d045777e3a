import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { beforeAll, describe, expect, it } from 'vitest';
import { crowdedFolders, type FolderFault, mutualImports, mutualParts } from './folder-rules.ts';
import { LAYER_RULES, LAYERS } from './layer-rules.ts';

/** AssemblyScript is compiled separately and imports nothing from src/. A declaration file is not a module. */
const NOT_MODULES = /\.as\.ts$|\.d\.ts$|\/kernel\//;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FIXTURE = fileURLToPath(new URL('./fixtures/layers/', import.meta.url));

/** Folders whose parts do not import each other, with those that still do. */
const SEPARATE_PARTS: Readonly<Record<string, readonly string[]>> = {
  'src/engine': [],
  'src/store/sqlite': [],
};

async function cruiseSources(baseDir: string): Promise<ICruiseResult> {
  const tsConfig = extractTsConfig(`${ROOT}tsconfig.json`);
  const { output } = await cruise(
    ['src'],
    {
      baseDir,
      validate: true,
      ruleSet: { forbidden: [...LAYER_RULES] },
      tsPreCompilationDeps: true,
      enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
      doNotFollow: { path: 'node_modules' },
      exclude: { path: NOT_MODULES.source },
    },
    {},
    { tsConfig },
  );
  if (typeof output === 'string') throw new Error('dependency-cruiser returned text instead of a result');
  return output;
}

function violations(result: ICruiseResult): string[] {
  const packageOf = (path: string): string => path.replace(/^.*node_modules\/([^/]+)\/.*$/, '$1');
  return result.summary.violations
    .map(({ rule, from, to }) => `${rule.name}: ${from} -> ${packageOf(to)}`)
    .sort();
}

/** Whether a rule applies to the imports of a module. */
function appliesTo({ from }: IForbiddenRuleType, source: string): boolean {
  const matches = (pattern: string | string[]): boolean =>
    [pattern].flat().some((each) => new RegExp(each).test(source));
  return (
    (from.path === undefined || matches(from.path)) && (from.pathNot === undefined || !matches(from.pathNot))
  );
}

function messagesOf(faults: readonly FolderFault[]): string[] {
  return faults.map(({ message }) => message);
}

describe('the sources', () => {
  let result: ICruiseResult;
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !NOT_MODULES.test(file));
  beforeAll(async () => {
    result = await cruiseSources(ROOT);
  });

  it('are all examined', () => {
    const cruised = new Set(result.modules.map(({ source }) => source));
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.filter((file) => !cruised.has(file))).toEqual([]);
    expect(result.summary.totalDependenciesCruised).toBeGreaterThan(sources.length / 2);
  });

  it('are all in a layer, except the public index, and every rule applies to some of them', () => {
    const layers = new Set(sources.map((file) => file.split('/')[1]));
    expect([...layers].toSorted()).toEqual([...LAYERS, 'index.ts'].toSorted());
    const unused = LAYER_RULES.filter((rule) => !sources.some((file) => appliesTo(rule, file)));
    expect(unused.map(({ name }) => name)).toEqual([]);
  });

  it('import only their own layer and lower ones', () => {
    expect(violations(result)).toEqual([]);
  });

  it('do not import values both from a folder to its subfolder and back', () => {
    expect(messagesOf(mutualImports(result.modules))).toEqual([]);
  });

  it.each(Object.entries(SEPARATE_PARTS))('of %s have no parts that import each other', (folder, known) => {
    expect(sources.some((file) => file.startsWith(`${folder}/`))).toBe(true);
    expect(mutualParts(result.modules, folder).toSorted()).toEqual(known);
  });

  it('are at most 15 in each folder', () => {
    expect(messagesOf(crowdedFolders(sources))).toEqual([]);
  });
});

describe('the layer rules', () => {
  it('report forbidden imports, and allow tests to import anything', async () => {
    const result = await cruiseSources(FIXTURE);
    expect(violations(result)).toEqual([
      'driver-behind-registry: src/search/search.ts -> src/store/sqlite/open.ts',
      'layer-core: src/core/reaches-up.ts -> src/search/search.ts',
      'layer-store: src/store/sqlite/open.ts -> src/embed/embedder.ts',
      'no-cycle: src/embed/embedder.ts -> src/embed/vector.ts',

      'no-import-between-drivers: src/store/memory/open.ts -> src/store/sqlite/open.ts',
      'no-orphan: src/core/alone.ts -> src/core/alone.ts',
      'no-unlisted-package: src/core/unlisted.ts -> entities',
    ]);
  });
});

describe('the folder rules', () => {
  it('report imports of values in both directions, but not those of types', async () => {
    const { modules } = await cruiseSources(FIXTURE);
    expect(mutualImports(modules)).toEqual([
      {
        folder: 'src/search',
        message:
          'src/search/rank/rank.ts imports src/search/limits.ts, while src/search/search.ts imports src/search/rank/rank.ts',
      },
    ]);
  });

  it('report parts of a folder that import each other, also those that import only types', async () => {
    const { modules } = await cruiseSources(FIXTURE);
    expect(mutualParts(modules, 'src/embed')).toEqual(['embedder.ts and vector.ts']);
    expect(mutualParts(modules, 'src/store')).toEqual([]);
  });

  it('report a folder with sixteen source files, and do not count tests', () => {
    const files = Array.from({ length: 15 }, (_, i) => `src/a/${String(i)}.ts`);
    const tests = files.map((file) => file.replace('.ts', '.test.ts'));
    expect(crowdedFolders([...files, ...tests])).toEqual([]);
    expect(crowdedFolders([...files, 'src/a/16.ts'])).toMatchObject([{ folder: 'src/a' }]);
  });
});
