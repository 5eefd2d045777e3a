import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { routesOf } from '../../src/surfaces/rest/request-input.ts';
import { startServer } from './rest-server.ts';

interface Description {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
  readonly components: { readonly schemas: Record<string, object> };
}

async function problemsOf(description: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const found = await lintFromString({ source: description, config });
  return found.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ''})`,
  );
}

describe('the OpenAPI description', () => {
  it('passes the strict rules of an independent linter', async () => {
    const server = await startServer();
    const { status, text } = await server.request('/api/v1/openapi.json');
    expect(status).toBe(200);
    expect(await problemsOf(text)).toEqual([]);
    // The linter does find faults in a wrong description.
    expect(await problemsOf(text.replace('"#/components/schemas/Problem"', '"#/nowhere"'))).not.toEqual([]);
    expect(await problemsOf(text.replace('"query":"', '"colour":"'))).not.toEqual([]);
  });

  it('has every operation with its schemas, by POST, and by GET if it changes nothing', async () => {
    const server = await startServer();
    const { openapi, paths, components }: Description = (await server.request('/api/v1/openapi.json')).json;
    expect(openapi).toBe('3.1.0');
    const routes = await routesOf(OPERATIONS);
    expect(Object.keys(paths)).toEqual([...routes.map(({ path }) => path), '/api/v1/events']);
    for (const { path, operation, onPage } of routes) {
      expect(Object.keys(paths[path] ?? {})).toEqual(operation.kind === 'read' ? ['post', 'get'] : ['post']);
      const text = JSON.stringify(paths[path]);
      expect([path, text.includes('Only the web page of the owner may call this')]).toEqual([path, onPage]);
    }
    expect(components.schemas['memory_search_input']).toMatchObject({
      type: 'object',
      required: ['query'],
      additionalProperties: false,
      properties: { limit: { type: 'integer', minimum: 1, maximum: 1000 } },
    });
    expect(components.schemas['memory_search_output']).toMatchObject({
      required: expect.arrayContaining(['results']),
    });
  });
});
