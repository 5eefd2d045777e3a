import { inject } from 'vitest';
import { GatewayClient } from './gateway.ts';
import { type ModelRequest, takeRequests, textOf } from './model-server.ts';
import { OpenclawHome } from './openclaw.ts';

/** The gateway that all test files share. Its agents are `main`, `kids` and `archive`. */
export const gateway: GatewayClient = new GatewayClient(inject('shared').gateway);
export const home: OpenclawHome = new OpenclawHome(inject('shared').home);

/** The requests that the model has had since the last call. */
export function modelRequests(): Promise<ModelRequest[]> {
  return takeRequests(inject('shared').modelUrl);
}

/** Everything that a model was told before the messages of a conversation. */
export function systemText({ messages }: ModelRequest): string {
  return messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(textOf)
    .join('\n');
}

/** A hit of `memory_search`, as an agent gets it. */
interface ToolHit {
  readonly path: string;
  readonly citation: string;
  readonly snippet: string;
  readonly score: number;
  readonly provenance: { readonly originClass: string };
}

/** The hits of a search through the gateway. @throws Error if memory does not answer */
export async function hits(
  query: string,
  options: { readonly agent?: string; readonly scopes?: string } = {},
  client: GatewayClient = gateway,
): Promise<readonly ToolHit[]> {
  const { value } = await client.invoke('memory_search', { query }, options);
  const { results } = value as { readonly results?: readonly ToolHit[] };
  if (results === undefined) throw new Error(`memory_search: ${JSON.stringify(value)}`);
  return results;
}
