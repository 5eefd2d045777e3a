import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../../../core/json.ts';
import { configChecks } from './plugin-keys.ts';

const entries = { 'memory-loci': { enabled: true }, 'memory-core': { enabled: false } };
const plugins: JsonMap = { slots: { memory: 'memory-loci' }, entries };

/** The names of the checks that find a problem. */
function problems(values: JsonMap): string[] {
  return configChecks({ plugins, ...values }).flatMap(({ name, result }) => (result === 'ok' ? [] : [name]));
}

describe('configChecks', () => {
  it('finds nothing in what setup writes', () => {
    expect(problems({})).toEqual([]);
  });

  it.each<[string, JsonMap, string]>([
    ['a missing slot', { plugins: { entries } }, 'memory slot'],
    [
      'another plugin in the slot',
      { plugins: { slots: { memory: 'memory-lancedb' }, entries } },
      'memory slot',
    ],
    ['memory-core that may load', { plugins: { ...plugins, entries: { 'memory-loci': {} } } }, 'memory-core'],
    [
      'a list of allowed plugins without it',
      { plugins: { ...plugins, allow: ['browser'] } },
      'allowed plugins',
    ],
    ['a denied plugin', { plugins: { ...plugins, deny: ['memory-loci'] } }, 'allowed plugins'],
    ['all plugins off', { plugins: { ...plugins, enabled: false } }, 'allowed plugins'],
    [
      'auto-recall without access to conversations',
      {
        plugins: {
          ...plugins,
          entries: { ...entries, 'memory-loci': { config: { autoRecall: { enabled: true } } } },
        },
      },
      'conversation access',
    ],
    ['a denied tool', { tools: { deny: ['memory_search'] } }, 'tools'],
    ['a denied group', { tools: { deny: ['group:memory'] } }, 'tools'],
    ['a denied pattern', { tools: { deny: ['memory_*'] } }, 'tools'],
    ['a list of allowed tools without them', { tools: { allow: ['read'] } }, 'tools'],
    ['a profile without them', { tools: { profile: 'messaging' } }, 'tools'],
    ['the policy of an agent', { agents: { entries: { ada: { tools: { deny: ['*'] } } } } }, 'tools'],
  ])('finds %s', (_, values, name) => {
    expect(problems(values)).toEqual([name]);
  });

  it.each<[string, JsonMap]>([
    ['memory-core in plugins.deny', { plugins: { ...plugins, entries: {}, deny: ['memory-core'] } }],
    [
      'dreaming that is off',
      { plugins: { ...plugins, entries: { 'memory-loci': { config: { dreaming: { enabled: false } } } } } },
    ],
    ['a profile with an addition', { tools: { profile: 'minimal', alsoAllow: ['group:memory'] } }],
    ['the profile for code', { tools: { profile: 'coding', allow: [] } }],
    ['another denied tool', { tools: { deny: ['exec', 'memory_write'] } }],
  ])('accepts %s', (_, values) => {
    expect(problems(values)).toEqual([]);
  });
});
