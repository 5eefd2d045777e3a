import { onTestFinished } from 'vitest';
import { createContext } from '../../src/operations/context.ts';
import { parseInput } from '../../src/operations/shared/input.ts';
import type { Operation } from '../../src/operations/operation.ts';

/** Runs an operation as a tool call of an agent: its input is validated, and its caller is not the operator. */
export async function runAsAgent<Input, Output>(
  operation: Operation<Input, Output>,
  input: unknown,
  home: string,
): Promise<Output> {
  const context = createContext({
    caller: { surface: 'mcp', trust: 'agent', actor: 'ada' },
    home,
    env: { LOCI_EMBEDDING_PROVIDER: 'none' },
  });
  onTestFinished(() => context.close());
  return operation.run(context, parseInput(operation, input));
}
