import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { describe, expect, it } from 'vitest';
import { LAYER_RULES } from './layer-rules.ts';

/** AssemblyScript is compiled apart and imports nothing of src/; what only declares types is no module. */
const NOT_OURS = /\.as\.ts$|\.d\.ts$|\/kernel\//;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FIXTURE = fileURLToPath(new URL('./fixtures/layers/', import.meta.url));

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
      exclude: { path: NOT_OURS.source },
    },
    {},
    { tsConfig },
  );
  if (typeof output === 'string') throw new Error('dependency-cruiser answered text instead of a result');
  return output;
}

function violations(result: ICruiseResult): string[] {
  const packageOf = (path: string): string => path.replace(/^.*node_modules\/([^/]+)\/.*$/, '$1');
  return result.summary.violations
    .map(({ rule, from, to }) => `${rule.name}: ${from} -> ${packageOf(to)}`)
    .sort();
}

describe('layers', () => {
  it('every import in src/ walks down', async () => {
    const result = await cruiseSources(ROOT);
    const cruised = new Set(result.modules.map(({ source }) => source));
    const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !NOT_OURS.test(file));
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.filter((file) => !cruised.has(file))).toEqual([]);
    expect(result.summary.totalDependenciesCruised).toBeGreaterThan(sources.length / 2);
    expect(violations(result)).toEqual([]);
  });

  it('forbidden imports are caught, and tests may import anything', async () => {
    const result = await cruiseSources(FIXTURE);
    expect(violations(result)).toEqual([
      'driver-behind-registry: src/search/search.ts -> src/store/sqlite/open.ts',
      'drivers-apart: src/store/memory/open.ts -> src/store/sqlite/open.ts',
      'layer-core: src/core/reaches-up.ts -> src/search/search.ts',
      'layer-store: src/store/sqlite/open.ts -> src/embed/embedder.ts',
      'no-cycle: src/embed/embedder.ts -> src/embed/vector.ts',
      'no-development-dependency: src/core/development.ts -> vitest',
      'no-orphan: src/core/alone.ts -> src/core/alone.ts',
    ]);
  });
});
