/** What the server answers to requests. */

import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { LociError } from '../../core/errors.ts';
import { asLociError } from '../../core/fs/file-errors.ts';
import type { OperationContext } from '../../operations/operation.ts';
import { runOperation } from '../../operations/run.ts';
import { parseInput } from '../../operations/shared/input.ts';
import { lenientInput } from '../../operations/shared/lenient-input.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, listTemplates, readResource } from './resources.ts';
import { errorResult, successResult } from './results/tool-result.ts';
import { assertPermitted, type McpSession, type Permission } from './session.ts';
import { loadToolbox, type Toolbox, type ToolListing } from './toolbox.ts';

export { getPrompt, listResources, listTemplates, loadToolbox, readResource };

export async function toolList(session: McpSession): Promise<{ tools: ReturnType<Toolbox['definitions']> }> {
  const [toolbox, listing] = await Promise.all([loadToolbox(), toolListing(session)]);
  return { tools: toolbox.definitions(listing) };
}

export async function promptList(session: McpSession): Promise<{ prompts: ReturnType<typeof listPrompts> }> {
  const { tools } = await toolList(session);
  return { prompts: listPrompts(new Set(tools.map(({ name }) => name))) };
}

/** The settings that decide which tools are listed. Calls report settings that cannot be read. */
async function toolListing({ context, scopes }: McpSession): Promise<ToolListing> {
  try {
    const { values } = await (await context()).loadConfig();
    return { scopes, writes: values.writes.enabled, tools: values.mcp.tools };
  } catch {
    return { scopes, writes: false, tools: [] };
  }
}

/** @throws ProtocolError for an unknown tool; any other error is returned as a result */
export async function callTool(
  permission: Permission,
  name: string,
  input: unknown,
  context: OperationContext,
): Promise<CallToolResult> {
  const operation = (await loadToolbox()).byTool.get(name);
  if (operation === undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool ${JSON.stringify(name.slice(0, 100))}`,
    );
  try {
    assertPermitted(permission, operation, name);
    const output = await runOperation(
      operation,
      context,
      parseInput(operation, lenientInput(operation, input)),
    );
    return successResult(operation.name, output);
  } catch (error) {
    if (context.signal.aborted)
      return errorResult(new LociError('aborted', `${name} was cancelled`, { cause: error }));
    return errorResult(asLociError(error));
  }
}
