import type { IForbiddenRuleType } from 'dependency-cruiser';

/** The layers, lowest rank first. A layer imports only itself and lower ranks; layers of the same rank do not import each other. */
const RANKS: readonly (readonly string[])[] = [
  ['core'],
  ['config', 'secrets'],
  ['store', 'embed', 'sources'],
  ['graph', 'ingest', 'search', 'pack'],
  ['engine'],
  ['operations', 'adapters'],
  ['surfaces'],
];

/** The folders of `src/`. */
export const LAYERS: readonly string[] = RANKS.flat();

const TEST_FILE = '\\.test\\.ts$';

function layerRules(): IForbiddenRuleType[] {
  return RANKS.flatMap((layers, rank) =>
    layers.map((layer): IForbiddenRuleType => {
      const allowed = [layer, ...RANKS.slice(0, rank).flat()];
      return {
        name: `layer-${layer}`,
        severity: 'error',
        from: { path: `^src/${layer}/`, pathNot: TEST_FILE },
        to: { path: '^src/', pathNot: `^src/(${allowed.join('|')})/` },
      };
    }),
  );
}

/** Folders next to the drivers that any driver and higher layer may import. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  store: ['items', 'lexical', 'rules', 'sql'],
  embed: ['http', 'rerank'],
  sources: ['dates', 'documents', 'files', 'logseq', 'markdown'],
};

/** Each other folder in store/, embed/ or sources/ is a driver, which only the registry of its layer may import. */
function driverRules(): IForbiddenRuleType[] {
  return Object.entries(SHARED).flatMap(([layer, shared]): IForbiddenRuleType[] => {
    const anyDriver = `^src/${layer}/(?!(${shared.join('|')})/)[^/]+/`;
    return [
      {
        name: 'driver-behind-registry',
        severity: 'error',
        from: { path: '^src/', pathNot: [TEST_FILE, anyDriver, `^src/${layer}/registry\\.ts$`] },
        to: { path: anyDriver },
      },
      {
        name: 'no-import-between-drivers',
        severity: 'error',
        from: { path: `^src/${layer}/([^/]+)/`, pathNot: TEST_FILE },
        to: { path: anyDriver, pathNot: `^src/${layer}/$1/` },
      },
    ];
  });
}

/** The import rules of `DESIGN.md`, for everything under `src/` except tests. */
export const LAYER_RULES: readonly IForbiddenRuleType[] = [
  ...layerRules(),
  ...driverRules(),
  {
    // A program that imports `loci-memory` would wait for them. A program that imports them needs no engine until one is named.
    name: 'library-without-adapters',
    severity: 'error',
    from: { path: '^src/index\\.ts$' },
    to: { path: '^src/adapters/', reachable: true },
  },
  {
    name: 'no-cycle',
    severity: 'error',
    from: { pathNot: TEST_FILE },
    to: { circular: true },
  },
  {
    name: 'no-orphan',
    severity: 'error',
    from: { path: '^src/', orphan: true, pathNot: TEST_FILE },
    to: {},
  },
  {
    name: 'no-unresolved',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'no-unlisted-package',
    severity: 'error',
    from: { path: '^src/', pathNot: TEST_FILE },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'src-only-imports-src',
    severity: 'error',
    from: { path: '^src/', pathNot: TEST_FILE },
    to: { path: '^(test|eval|bench|scripts|bin|dist)/' },
  },
  {
    name: 'index-is-for-users',
    severity: 'error',
    from: { path: '^src/', pathNot: TEST_FILE },
    to: { path: '^src/index\\.ts$' },
  },
];
