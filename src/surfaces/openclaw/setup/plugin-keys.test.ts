import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../../core/json.ts';
import { configChecks, describeChange, shadowdbSettings } from './plugin-keys.ts';

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
    [
      'settings of memory-shadowdb',
      { plugins: { ...plugins, entries: { ...entries, 'memory-shadowdb': { config: {} } } } },
      'memory-shadowdb',
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

describe('shadowdbSettings', () => {
  const config = { table: 'memories' };
  it.each<[string, JsonMap, JsonMap | null]>([
    [
      'in the slot and on',
      { slots: { memory: 'memory-shadowdb' }, entries: { 'memory-shadowdb': { config } } },
      config,
    ],
    ['in the slot alone', { slots: { memory: 'memory-shadowdb' } }, {}],
    ['on, but not in the slot', { entries: { 'memory-shadowdb': { config } } }, config],
    ['off', { entries: { 'memory-shadowdb': { enabled: false, config } } }, null],
    ['missing', {}, null],
  ])('are taken over from a plugin that is %s', (_, values, expected) => {
    expect(shadowdbSettings({ plugins: values })).toEqual(expected);
  });
});

it('a change shows no passwords', () => {
  const at = (...path: string[]) => ({ path: ['plugins', 'entries', 'memory-loci', 'config', ...path] });
  const change = { file: '', previous: null, isElement: false };
  const secret = 'postgres://ada:hunter2@host/db';
  const described = [
    { ...change, ...at('connectionString'), value: secret },
    { ...change, ...at('embedding'), value: { model: 'm', apiKey: 'hunter2' } },
  ].map(describeChange);
  expect(described.join()).not.toContain('hunter2');
  expect(described.join()).toContain('"model":"m"');
});
