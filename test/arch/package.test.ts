import { existsSync, globSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LIBRARY_MODULES } from '../../scripts/bundle.ts';
import { readSource, ROOT } from './source-files.ts';

interface Manifest {
  readonly bin: Record<string, string>;
  readonly exports: Record<string, string | Record<string, string>>;
  readonly scripts: Record<string, string>;
}

const manifest = JSON.parse(readSource('package.json')) as Manifest;

/** The source from which the build makes `dist/bundle/x.js` and `dist/x.d.ts`. */
function sourceOf(target: string): string {
  const [, name] = /^\.\/dist\/(?:bundle\/)?([\w-]+)(?:\.d\.ts|\.js)$/.exec(target) ?? [];
  return name === undefined ? target : `${LIBRARY_MODULES[name] ?? `src/${name}`}.ts`;
}

describe('package.json', () => {
  it('exports only files that are built from a source', () => {
    const targets = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    for (const name of Object.keys(LIBRARY_MODULES))
      expect(targets).toEqual(expect.arrayContaining([`./dist/${name}.d.ts`, `./dist/bundle/${name}.js`]));
    expect(targets.map(sourceOf).filter((file) => !existsSync(ROOT + file))).toEqual([]);
  });

  it('has an executable command, which starts the built command line', () => {
    const command = manifest.bin['loci'] ?? '';
    expect(statSync(ROOT + command).mode & 0o111).not.toBe(0);
    const text = readSource(command);
    expect(text).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(text).toContain(`import('../dist/bundle/main.js')`);
    expect(existsSync(`${ROOT}src/surfaces/cli/main.ts`)).toBe(true);
  });

  it('has scripts whose files exist', () => {
    const files = Object.values(manifest.scripts).flatMap(
      (script) => script.match(/\b[\w/.-]+\.(mjs|ts)\b/g) ?? [],
    );
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(ROOT + file))).toEqual([]);
  });

  it('has no package in tools/ that nothing names', () => {
    const { dependencies } = JSON.parse(readSource('tools/package.json')) as { dependencies: object };
    const files = [
      '{src,test,eval,bench,scripts,examples,web}/**/*.{ts,tsx,mjs}',
      '*.{ts,js}',
      '*tsconfig*.json',
    ];
    const sources = globSync(files, { cwd: ROOT }).map((file) => readSource(file));
    const text = [...sources, ...Object.values(manifest.scripts)].join('\n');
    // The compiler finds types, Vitest its provider of coverage, and `@langchain/mcp-adapters` its peer.
    const unnamed = Object.keys(dependencies).filter(
      (name) => !text.includes(name) && !/^@types\/|^@vitest\/|^@langchain\/core$/.test(name),
    );
    expect(unnamed).toEqual([]);
  });
});
