import { describe, expect, it } from 'vitest';
import { configSchema } from '../../config/schema.ts';
import { SCOPES } from '../../core/caller.ts';
import { loadToolbox } from './toolbox.ts';

/** Keywords that mean the same in draft-07 and in 2020-12 of JSON Schema, and in the subsets that models are given. */
const KEYWORDS = ['type', 'description', 'enum', 'items', 'properties', 'required'];

function keywordsOf(schema: object, path: string): string[] {
  return Object.entries(schema).flatMap(([keyword, value]: [string, object]) => {
    if (keyword === 'properties')
      return Object.entries(value).flatMap(([name, field]: [string, object]) =>
        keywordsOf(field, `${path}.${name}`),
      );
    if (keyword === 'items') return keywordsOf(value, `${path}[]`);
    const isPlain = KEYWORDS.includes(keyword) && (keyword !== 'type' || typeof value === 'string');
    return isPlain ? [] : [`${path}: ${keyword}`];
  });
}

describe('the tools', () => {
  it('have schemas that validators of every draft read alike', async () => {
    const toolbox = await loadToolbox();
    const optional = [
      'graph_index',
      'graph_map',
      'graph_pack',
      'memory_corpus',
      'memory_import',
      'memory_records',
      'record_facets',
      'record_histogram',
      'record_links',
      'record_show',
      'record_table',
      'startup_list',
      'startup_preview',
    ];
    const all = toolbox.definitions({
      scopes: new Set(SCOPES),
      writes: true,
      tools: optional,
      outputSchemas: true,
    });
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(optional));
    for (const { name, inputSchema, outputSchema } of all) {
      expect(keywordsOf(inputSchema, name)).toEqual([]);
      expect(keywordsOf(outputSchema!, name)).toEqual([]);
    }
  });

  it('that the setting mcp.tools may name are those that are otherwise left out', async () => {
    const { byTool } = await loadToolbox();
    const optional = [...byTool].flatMap(([name, { listedOnRequest }]) => (listedOnRequest ? [name] : []));
    expect(configSchema.parse({ mcp: { tools: optional } }).mcp.tools).toEqual(optional);
    expect(optional.toSorted()).toEqual([
      'graph_concepts',
      'graph_conflicts',
      'graph_export',
      'graph_index',
      'graph_map',
      'graph_pack',
      'graph_path',
      'graph_show',
      'graph_status',
      'memory_categories',
      'memory_corpus',
      'memory_forget',
      'memory_import',
      'memory_list',
      'memory_recall',
      'memory_records',
      'memory_sources',
      'memory_timeline',
      'memory_undelete',
      'record_facets',
      'record_histogram',
      'record_links',
      'record_show',
      'record_table',
      'startup_inject',
      'startup_list',
      'startup_preview',
    ]);
  });
});
