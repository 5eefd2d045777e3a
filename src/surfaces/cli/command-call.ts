import type { Json } from '../../core/types.ts';
import type { InputWording } from '../../operations/shared/input.ts';
import type { Operation } from '../../operations/operation.ts';

/** A verb and what a command line gives it. */
export interface CommandCall {
  readonly operation: Operation;
  readonly input: Readonly<Record<string, Json>>;
  /** What its user typed. */
  readonly wording: InputWording;
  /** Names of the view options that were given. */
  readonly views: ReadonlySet<string>;
  readonly json: boolean;
  readonly home: string | undefined;
}
