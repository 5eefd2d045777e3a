import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import { createContext } from '../../src/operations/context.ts';
import { parseInput } from '../../src/operations/shared/input.ts';
import type { Operation } from '../../src/operations/operation.ts';

/** Runs an operation as a tool call of an agent: its input is validated, and its caller is not the operator. */
export async function runAsAgent<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
  input: unknown,
  home: string,
): Promise<z.output<Output>> {
  const context = createContext({
    caller: { surface: 'mcp', trust: 'agent', actor: 'ada' },
    home,
    inlineStore: true,
    env: { LOCI_EMBEDDING_PROVIDER: 'none' },
  });
  onTestFinished(() => context.close());
  return operation.run(context, parseInput(operation, input));
}
