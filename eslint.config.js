import { builtinModules } from 'node:module';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const TESTS = ['**/*.test.ts', 'test/**/*.ts'];
/** What rules that need types read. */
const TYPES = {
  project: ['./tsconfig.json', './web/tsconfig.json'],
  tsconfigRootDir: import.meta.dirname,
};
/** Their hosts load the default export. */
const CONFIGS = [
  '*.config.ts',
  '*.config.js',
  'web/*.config.ts',
  'test/reporter.ts',
  'src/surfaces/openclaw/*-plugin.ts',
  'test/openclaw/wiki-plugin/*.js',
];

const restrictedImports = [
  ...builtinModules
    .filter((name) => !name.startsWith('_') && !name.startsWith('node:'))
    .map((name) => ({ name, message: `Write node:${name}.` })),
  { name: 'chrono-node', message: 'Import chrono-node/en: the whole package takes 350 ms to load.' },
  { name: 'node:test', message: 'Tests use vitest.' },
];

const restrictedSyntax = [
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels: name what is exported.' },
];

export default defineConfig(
  {
    ignores: [
      'dist/',
      'coverage/',
      '.cache/',
      '**/fixtures/',
      '**/*.as.ts',
      '**/*.d.ts',
      'src/**/kernel/',
      // It needs the declarations of OpenClaw.
      'test/openclaw/host-types.ts',
    ],
  },
  {
    files: ['**/*.{ts,tsx,js,mjs}'],
    languageOptions: { sourceType: 'module' },
    rules: {
      // Sizes are warnings: two ideas in one file are the fault, and a long file is a hint of it.
      'max-lines': ['warn', { max: 300, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['warn', { max: 60, skipBlankLines: false, skipComments: false }],
      'no-restricted-imports': ['error', { paths: restrictedImports }],
      'no-restricted-syntax': ['error', ...restrictedSyntax],
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'object-shorthand': 'error',
      'no-useless-rename': 'error',
      'no-else-return': 'error',
      'no-empty': 'error',
      'no-fallthrough': 'error',
      'no-unsafe-finally': 'error',
      'no-template-curly-in-string': 'error',
      'no-constant-binary-expression': 'error',
      'no-self-compare': 'error',
      'no-promise-executor-return': ['error', { allowVoid: true }],
      'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: TYPES },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // Spreading a text into its code points is what `[...text]` is for.
      '@typescript-eslint/no-misused-spread': 'off',
      // A loop's bound proves what noUncheckedIndexedAccess cannot see.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // A synchronous store still answers through an asynchronous interface.
      '@typescript-eslint/require-await': 'off',
      // The two take a quarter of the time of all rules. There are no enums, and classes differ by their members.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    // Half of the code, for which most rules that ask the compiler for types find only matters of style, and take a minute. A test
    // that does not wait for a promise passes whatever happens.
    files: TESTS,
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { parserOptions: TYPES },
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
    },
  },
  // A program of a user, which the test of the installed package runs.
  { files: ['examples/adapter/*.test.mjs'], rules: { 'no-restricted-imports': 'off' } },
  { files: CONFIGS, rules: { 'no-restricted-syntax': ['error', restrictedSyntax[1]] } },
);
