import type { z } from 'zod';
import type { Progress } from '../../core/progress.ts';
import type { OPERATIONS } from '../../operations/registry.ts';
import type { Operation } from '../../operations/operation.ts';

/** The options of every method. */
export interface CallOptions {
  /** Ends the call with the error `aborted`. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** `fact-store` → `factStore` */
type MethodName<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<MethodName<Rest>>}`
  : Name;

type Entry = (typeof OPERATIONS)[number];

type Method<Each> =
  Each extends Operation<infer Input, infer Output>
    ? Partial<z.input<Input>> extends z.input<Input>
      ? (input?: z.input<Input>, options?: CallOptions) => Promise<z.output<Output>>
      : (input: z.input<Input>, options?: CallOptions) => Promise<z.output<Output>>
    : never;

/** Every operation as a method. The build writes these types out, with the descriptions of the schemas as doc comments. */
export type OperationMethods = {
  readonly [Each in Entry as MethodName<Each['name']>]: Method<Awaited<ReturnType<Each['load']>>>;
};

/** The name of the method of an operation: `fact-store` → `factStore`. */
export function methodName(operation: string): string {
  return operation.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
