import { globSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSource, ROOT } from './source-files.ts';

const SOURCES = globSync('web/src/**/*.{ts,tsx,css}', { cwd: ROOT }).filter(
  (path) => !path.endsWith('.d.ts'),
);
const MODULES = SOURCES.filter((path) => !path.endsWith('.css'));
const MAX_FILES = 15;

/** The packages that the page may contain. Each is a request for the reader, and code that runs beside private notes. */
const PACKAGES = [
  'preact',
  'dompurify',
  'markdown-it',
  'sigma',
  'graphology',
  'graphology-layout-forceatlas2',
  'uplot',
  'diff',
];

/** Modules of the server that the page contains too: what they import is checked in the same way. */
const SHARED = [
  'src/core/text/invisible-characters.ts',
  ...globSync('src/graph/{layout,viewer}/*.ts', { cwd: ROOT }).filter(
    (path) => !path.includes('.test.') && !path.endsWith('.d.ts') && !path.endsWith('/layout-thread.ts'),
  ),
];

/** Types are no part of the page. */
function importsOf(path: string): string[] {
  const source = readSource(path).replaceAll(/^import type [^;]*;/gm, '');
  const imports = /^(?:import|export)\s(?:[^;'=]*\sfrom\s)?'([^']+)'|import\('([^']+)'\)/gm;
  return [...source.matchAll(imports)].map(([, fixed, lazy]) => fixed ?? lazy ?? '');
}

function isOfThePage(path: string): boolean {
  return path.startsWith('web/src/') || SHARED.includes(path);
}

describe('the sources of the page', () => {
  it('import each other and few packages, and nothing of the server', () => {
    expect(MODULES.length).toBeGreaterThan(10);
    expect(SHARED.length).toBe(4);
    const faults = [...MODULES, ...SHARED].flatMap((path) =>
      importsOf(path)
        .filter((name) =>
          name.startsWith('.')
            ? !isOfThePage(normalize(join(dirname(path), name)))
            : !PACKAGES.some((each) => name === each || name.startsWith(`${each}/`)),
        )
        .map((name) => `${path}: ${name}`),
    );
    expect(faults).toEqual([]);
  });

  it('are in no circle, types included, and texts know no component', () => {
    const imports = new Map(
      MODULES.map((path) => [
        path,
        [...readSource(path).matchAll(/(?:\bfrom |^import |import\()'(\.[^']+)'/gm)].map(([, name]) =>
          normalize(join(dirname(path), name!)),
        ),
      ]),
    );
    const isDone = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      else if (!isDone.has(path)) for (const each of imports.get(path) ?? []) visit(each, [...trail, path]);
      isDone.add(path);
    };
    for (const path of MODULES) visit(path, []);
    expect(circles).toEqual([]);
    const texts = MODULES.filter((path) => path.includes('/text/'));
    expect(texts.length).toBeGreaterThan(5);
    const known = texts.flatMap((path) => imports.get(path)!.filter((each) => !each.includes('/text/')));
    expect(known).toEqual([]);
  });

  it('take every colour from the tokens', () => {
    const literal = /#[\da-f]{3,8}\b(?!-)|\b(?:rgb|hsl|oklch)a?\(/i;
    const faults = SOURCES.filter(
      (path) => !path.endsWith('design/tokens.css') && !path.includes('/text/'),
    ).flatMap((path) =>
      readSource(path)
        .split('\n')
        .filter((line) => literal.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(faults).toEqual([]);
  });

  it('are in folders of few files', () => {
    const folders = Map.groupBy(SOURCES, (path) => dirname(path));
    expect([...folders].filter(([, files]) => files.length > MAX_FILES).map(([folder]) => folder)).toEqual(
      [],
    );
  });
});
