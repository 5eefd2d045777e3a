import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../operations/registry.ts';
import { inCommands } from './command-names.ts';
import { shapeOf } from '../cli/shapes.ts';

describe('the names of tools', () => {
  it('are told at a shell as its commands, whatever the verb', async () => {
    const verbs = await Promise.all(OPERATIONS.map(({ load }) => load()));
    const tools = verbs.flatMap(({ name, tool }) => (tool === undefined ? [] : [{ name, tool }]));
    expect(tools.length).toBeGreaterThan(9);
    for (const { name, tool } of tools)
      expect(inCommands(`\`${tool}\``)).toBe(`\`loci ${shapeOf(name).words.join(' ')}\``);
  });

  it('are left alone where they are no advice', () => {
    expect(inCommands('no fact is called "memory_list"')).toBe('no fact is called "memory_list"');
  });
});
