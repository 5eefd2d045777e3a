import { describe, expect, it } from 'vitest';
import { assertSupportedNode } from './runtime.ts';

describe('assertSupportedNode', () => {
  it.each(['20.20.2', '23.11.0', '9.0.0'])('refuses Node %s by name', (node) => {
    expect(() => assertSupportedNode(node)).toThrow(
      expect.objectContaining({
        code: 'unsupported_runtime',
        exitCode: 9,
        message: `Loci needs Node 24 or newer; this is Node ${node}`,
        hint: 'Run Loci with Node 24 or newer.',
      }) as Error,
    );
  });

  it.each(['24.0.0', '100.1.0'])('accepts Node %s, and the one that runs the tests', (node) => {
    assertSupportedNode(node);
    assertSupportedNode();
  });
});
