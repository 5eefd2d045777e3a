import { describe, expect, it } from 'vitest';
import { REFERENCE } from '../../../../test/contract/shadowdb-settings.ts';
import { LociError } from '../../../core/errors.ts';
import { parseConfig } from '../../../config/document.ts';
import { resolveConfig } from '../../../config/load.ts';
import { parsePluginConfig } from './settings.ts';

describe('the configuration of the plugin', () => {
  it('is divided into settings of the plugin and those of loci.yaml', () => {
    const { settings, hostSettings } = parsePluginConfig('memory-loci', {
      maxResults: 4,
      search: { limit: 3 },
    });
    expect(settings.maxResults).toBe(4);
    expect(hostSettings.tree).toEqual({ search: { limit: 3 } });
  });

  it('names no namespace that begins with a space, as that of pools does', () => {
    const config = { shared: [' pools/x'], agents: { main: { namespace: ' pools/x' } } };
    const { settings } = parsePluginConfig('memory-loci', config);
    expect(settings).toMatchObject({ shared: ['pools/x'], agents: { main: { namespace: 'pools/x' } } });
  });

  it('names each wrong setting and its place', () => {
    expect(() =>
      parsePluginConfig('memory-loci', { maxResults: 0, nonOwner: { read: 'everything' } }),
    ).toThrow(
      /plugins\.entries\.memory-loci\.config: maxResults must be at least 1, not 0\n.*nonOwner\.read must be one of none, agent, all/,
    );
  });

  it('denies non-owners everything, and sandboxes everything but the memory of the agent, by default', () => {
    const { settings } = parsePluginConfig('memory-loci', {});
    expect(settings.nonOwner).toEqual({ read: 'none', write: false, perSender: false, shared: [] });
    expect(settings.sandboxed).toEqual({ read: 'agent', write: false });
    expect(settings.autoRecall.enabled).toBe(false);
    expect(settings.autoCapture.enabled).toBe(false);
  });

  it('may be that of memory-shadowdb, whose keys are mapped, or named with what to write instead (R19)', () => {
    const { hostSettings } = parsePluginConfig('memory-loci', parseConfig(REFERENCE, 'openclaw.json').raw);
    const loaded = resolveConfig(parseConfig('', 'loci.yaml'), '/home/loci', {}, { hostSettings });
    expect(loaded.values.search.weights).toMatchObject({ vector: 0.7, text: 0.3, recency: 0.15 });
    expect(loaded.values.writes.enabled).toBe(true);
    expect(loaded.values.retention.purgeAfterDays).toBe(60);
    expect(loaded.values.startup.maxCharsByModel).toMatchObject({ opus: 6000, sonnet: 5000 });
    const warnings = loaded.warnings.join('\n');
    expect(loaded.values.embedding).toMatchObject({ provider: 'ollama', model: 'nomic-embed-text' });
    for (const key of ['table', 'connectionString'])
      expect(warnings).toContain(`plugins.entries.memory-loci.config.${key}`);
    expect(warnings).toContain('loci import postgres://… --table NAME');
  });

  it('overrides loci.yaml, and the environment overrides it', () => {
    const { hostSettings } = parsePluginConfig('memory-loci', { search: { limit: 3, related: 2 } });
    const file = parseConfig('search:\n  limit: 7\n  minScore: 0.2\n', 'loci.yaml');
    const { values, origins } = resolveConfig(
      file,
      '/home/loci',
      { LOCI_SEARCH_RELATED: '1' },
      { hostSettings },
    );
    expect(values.search).toMatchObject({ limit: 3, related: 1, minScore: 0.2 });
    expect(origins.get('search.limit')).toBe('plugins.entries.memory-loci.config.search.limit');
    expect(origins.get('search.minScore')).toBe('loci.yaml:3');
  });

  it('reports a wrong setting of loci.yaml at its place in the plugin', () => {
    const { hostSettings } = parsePluginConfig('memory-loci', { search: { limit: 'many' } });
    const resolve = () => resolveConfig(parseConfig('', 'loci.yaml'), '/home/loci', {}, { hostSettings });
    expect(resolve).toThrow(LociError);
    expect(resolve).toThrow(/plugins\.entries\.memory-loci\.config\.search\.limit: /);
  });
});
