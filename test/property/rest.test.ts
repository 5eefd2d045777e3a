import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ERROR_TABLE } from '../../src/core/errors.ts';
import type { StatusOutput } from '../../src/engine/health/status.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { type Route, routesOf } from '../../src/surfaces/rest/routes.ts';
import { type HttpResponse, type HttpRequestOptions, startServer } from '../e2e/rest-server.ts';
import { invalidOf, type InputSchema, validOf } from './mcp-input.ts';
import { repetitions } from '../repetitions.ts';

/** A call that takes longer counts as hanging. */
const MAX_CALL_MS = 20_000;
const RUNS = repetitions(20, 60);

interface Request extends HttpRequestOptions {
  readonly path: string;
}

/** Requests with valid and invalid input in the body or the query, and with bodies that are not JSON. */
function requestsOf({ path, operation }: Route): fc.Arbitrary<Request> {
  const schema = z.toJSONSchema(operation.input, { io: 'input' }) as InputSchema;
  const input = fc.oneof(validOf(schema), invalidOf(schema));
  const posted = input.map((body): Request => ({ path, body }));
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.json());
  const raw = text.map((body): Request => ({ path, body, method: 'POST' }));
  const query = fc.oneof(input.map(queryOf), fc.webQueryParameters());
  const queried = query.map((parameters): Request => ({ path: `${path}?${parameters}` }));
  return operation.kind === 'read' ? fc.oneof(posted, raw, queried) : fc.oneof(posted, raw);
}

function queryOf(input: unknown): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input as Record<string, unknown>))
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      query.append(
        name.toWellFormed(),
        (typeof each === 'string' ? each : JSON.stringify(each)).toWellFormed(),
      );
  return query.toString().slice(0, 8000);
}

function expectValidAnswer({ operation }: Route, { status, text, headers, problem }: HttpResponse): void {
  expect(text).not.toMatch(/node_modules|\.ts:\d+|ZodError|SqliteError/);
  if (status === 200) {
    expect(headers['content-type']).toBe('application/json');
    expect(operation.output.safeParse(JSON.parse(text)).error).toBeUndefined();
    return;
  }
  expect(headers['content-type']).toBe('application/problem+json');
  const { code, detail } = problem;
  expect(Object.keys(ERROR_TABLE)).toContain(code);
  expect([code, detail, status]).toEqual([code, detail, ERROR_TABLE[code].status]);
  expect([code, detail, status >= 500]).toEqual([code, detail, false]);
}

describe('every operation over HTTP with any input', () => {
  it('responds with success or an error of the table, and a rejected request changes nothing', async () => {
    const server = await startServer({}, { limits: { requestsPerSecond: 0 } });
    const token = await server.token('alice', 'operator');
    const outcomes = { success: 0, error: 0 };
    const [written, deleted] = [{ total: 0 }, { total: 0 }];
    const routes = await routesOf(OPERATIONS);
    for (const route of routes) {
      const property = fc.asyncProperty(requestsOf(route), async ({ path, ...options }) => {
        const answer = await Promise.race([
          server.request(path, { token, ...options }),
          new Promise<never>((_, reject) => {
            setTimeout(() => reject(new Error('no answer')), MAX_CALL_MS).unref();
          }),
        ]);
        outcomes[answer.status === 200 ? 'success' : 'error']++;
        if (answer.status === 200 && route.operation.name === 'write') written.total++;
        if (answer.status === 200 && route.operation.name === 'delete') deleted.total++;
        expectValidAnswer(route, answer);
      });
      await fc.assert(property, { numRuns: RUNS });
    }
    expect(outcomes.success).toBeGreaterThan(routes.length);
    expect(outcomes.error).toBeGreaterThan(routes.length);
    // Random facts may be stored, so the number of their keys is not fixed.
    const { by_origin } = (await server.request('/api/v1/status', { token })).json as Pick<
      StatusOutput,
      'by_origin'
    >;
    // A random number may be the id of a record, and a deleted record may be restored or be a fact.
    expect(by_origin.memory ?? 0).toBeLessThanOrEqual(written.total);
    expect(by_origin.memory ?? 0).toBeGreaterThanOrEqual(written.total - deleted.total);
    expect(server.log.filter(({ code, msg }) => code === 'internal' || msg === 'internal')).toEqual([]);
  });

  it('responds to any path, method and header without a server error', async () => {
    const server = await startServer({}, { limits: { requestsPerSecond: 0 } });
    const token = await server.token('alice', 'read');
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];
    const header = fc.stringMatching(/^[\t\x20-\x7e]{0,60}$/);
    const request = fc.record({
      path: fc.webPath().map((path) => `/${path}`),
      method: fc.constantFrom(...methods),
      id: header,
      type: header,
    });
    const property = fc.asyncProperty(request, async ({ path, method, id, type }) => {
      const headers = { 'x-request-id': id, 'content-type': type, accept: type };
      const { status, text } = await server.request(path, { method, token, headers });
      expect([path, method, text, status < 500]).toEqual([path, method, text, true]);
    });
    await fc.assert(property, { numRuns: repetitions(50, 150) });
  });
});
