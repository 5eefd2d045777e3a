import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repetitions } from '../../../test/repetitions.ts';
import { foldTag } from './filter.ts';
import { globExpression, matchesGlob } from './path-glob.ts';

const PATHS = ['a.md', 'Plugins/a.md', 'Plugins/x/b.canvas', 'Docs/Plugins/c.md', 'Docs/My Plugins.md'];

describe('a glob of paths', () => {
  it.each([
    ['Plugins', ['Plugins/a.md', 'Plugins/x/b.canvas', 'Docs/Plugins/c.md']],
    ['plugins/', ['Plugins/a.md', 'Plugins/x/b.canvas', 'Docs/Plugins/c.md']],
    ['/Plugins', ['Plugins/a.md', 'Plugins/x/b.canvas']],
    ['Plugins/x', ['Plugins/x/b.canvas']],
    ['Plugins/**', ['Plugins/a.md', 'Plugins/x/b.canvas']],
    ['Plugins/*', ['Plugins/a.md']],
    ['Plugins/a.md', ['Plugins/a.md']],
    ['*.canvas', ['Plugins/x/b.canvas']],
    ['?.md', ['a.md', 'Plugins/a.md', 'Docs/Plugins/c.md']],
    ['/?.md', ['a.md']],
    ['**plugins**', PATHS.slice(1)],
    ['*plugins*', ['Docs/My Plugins.md']],
    ['**/Plugins/**/*.md', ['Plugins/a.md', 'Docs/Plugins/c.md']],
    ['Docs\\*\\c.md', ['Docs/Plugins/c.md']],
    ['lugins', []],
    ['/', PATHS],
  ])('%s', (glob, expected) => {
    expect(PATHS.filter((path) => matchesGlob(foldTag(glob), foldTag(path)))).toEqual(expected);
  });

  it('matches the same in memory and as a regular expression, which PostgreSQL uses', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'B', '/', '*', '**', '?', '.', '[', '\\', '(', 'É', '💡'),
    });
    fc.assert(
      fc.property(text, text, (glob, path) => {
        expect(matchesGlob(glob, path)).toBe(new RegExp(globExpression(glob), 'su').test(path));
      }),
      { numRuns: repetitions(1000, 20_000) },
    );
  });

  it('takes a time that grows with the path alone, whatever the wildcards are', () => {
    const [glob, path] = [`${'*a'.repeat(60)}b${'?'.repeat(100)}`, 'a'.repeat(20_000)];
    const started = performance.now();
    expect(matchesGlob(glob, path)).toBe(false);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
