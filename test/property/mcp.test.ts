import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_TABLE } from '../../src/core/errors.ts';
import { createContext, type OpenContext } from '../../src/operations/context.ts';
import { mcpServer } from '../../src/surfaces/mcp/server.ts';
import { copyOfVault, loci, temporaryFolder } from '../e2e/loci-command.ts';
import { invalidOf, type InputSchema, validOf } from './mcp-input.ts';
import { repetitions } from '../repetitions.ts';

const caller = { surface: 'mcp', trust: 'agent' } as const;

/** Calls every tool with valid and with random input. The client checks each result against the output schema of the tool. */
describe('every tool with any input', () => {
  let context: OpenContext;
  const client = new Client({ name: 'fuzz', version: '1' });

  beforeAll(async () => {
    const home = join(temporaryFolder(), 'home');
    await loci(['index', copyOfVault()], { home });
    context = createContext({
      home,
      inlineStore: true,
      env: { LOCI_EMBEDDING_PROVIDER: 'none', LOCI_WRITES_ENABLED: 'true' },
      caller,
    });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const server = mcpServer({
      context: async () => context,
      scopes: new Set(['read', 'write']),
      callerOf: () => caller,
    });
    await Promise.all([server.connect(ours), client.connect(theirs)]);
  });

  afterAll(async () => {
    await client.close();
    await context.close();
  });

  it('returns success or an error of the table', async () => {
    const { tools } = await client.listTools();
    const outcomes = { success: 0, error: 0 };
    for (const { name, inputSchema } of tools) {
      const schema = inputSchema as InputSchema;
      const inputs = fc.oneof(validOf(schema), invalidOf(schema));
      const property = fc.asyncProperty(inputs, async (input) => {
        const result = await client.callTool({ name, arguments: input as Record<string, unknown> });
        outcomes[result.isError === true ? 'error' : 'success']++;
        if (result.isError !== true) return;
        const error = result._meta?.['loci/error'] as { readonly code: string; readonly message: string };
        expect(Object.keys(ERROR_TABLE)).toContain(error.code);
        expect(error.code, error.message).not.toBe('internal');
        expect(JSON.stringify(result)).not.toMatch(/node_modules|\.ts:\d+/);
      });
      await fc.assert(property, { numRuns: repetitions(20, 60) });
    }
    expect(outcomes.success).toBeGreaterThan(tools.length);
    expect(outcomes.error).toBeGreaterThan(tools.length);
  });

  it('rejects unknown tools and wrong addresses with errors of the protocol', async () => {
    const property = fc.asyncProperty(fc.string({ maxLength: 40 }), async (text) => {
      const outcomes = await Promise.allSettled([
        client.callTool({ name: `no ${text}`, arguments: {} }),
        client.readResource({ uri: text }),
        client.readResource({ uri: `loci://record/${text}` }),
        client.getPrompt({ name: `no ${text}`, arguments: {} }),
      ]);
      for (const [i, outcome] of outcomes.entries()) {
        if (outcome.status === 'fulfilled') expect(i).toBe(2);
        else expect(outcome.reason).toMatchObject({ code: expect.any(Number) as number });
      }
    });
    await fc.assert(property, { numRuns: repetitions(20, 60) });
  });
});
