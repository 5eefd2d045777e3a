import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../scripts/bundle.ts';

describe('the thread of the store', () => {
  it('is one file that loads modules of Node alone', async () => {
    const module = fileURLToPath(new URL('../../src/store/sqlite/thread.ts', import.meta.url));
    const chunks = await bundle({ modules: { main: module }, addressOf: () => `'file:///'` });
    expect(chunks).toHaveLength(1);
    const imports = chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]);
    expect(imports).toContain('node:sqlite');
    expect(imports.filter((name) => !name.startsWith('node:'))).toEqual([]);
  });
});
