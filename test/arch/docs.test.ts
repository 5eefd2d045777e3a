import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderConfigDocs } from '../../scripts/config-docs.ts';

describe('documentation', () => {
  it('docs/configuration.md is what `node scripts/config-docs.ts` writes', () => {
    const committed = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
    expect(committed).toBe(renderConfigDocs());
  });
});
