import { LociError, messageOf } from '../../../core/errors.ts';
import { asLociError } from '../../../core/fs/file-errors.ts';

/** A step of setup. */
export interface Step {
  /** What it does, for the list of steps and the progress: `install the plugin memory-loci`. */
  readonly title: string;
  readonly run: () => Promise<void>;
  /** Restores what was there before, also after a step that failed half-way. */
  readonly revert?: () => Promise<void>;
}

/**
 * Runs steps in order. After a failure, all that were begun are reverted, the last one first.
 * @throws LociError the error of the step, with its title
 */
export async function runSteps(
  steps: readonly Step[],
  signal: AbortSignal,
  report: (message: string) => void,
): Promise<void> {
  const begun: Step[] = [];
  for (const step of steps) {
    try {
      if (signal.aborted) throw new LociError('aborted', 'stopped');
      begun.push(step);
      report(step.title);
      await step.run();
    } catch (error) {
      if (begun.some(({ revert }) => revert !== undefined)) report('restoring what was there before');
      throw failure(step, error, await revertAll(begun));
    }
  }
}

async function revertAll(steps: readonly Step[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { title, revert } of steps.toReversed())
    await revert?.().catch((error: unknown) => problems.push(`${title}: ${messageOf(error)}`));
  return problems;
}

function failure({ title }: Step, error: unknown, notReverted: readonly string[]): LociError {
  const { code, message, hint } = asLociError(error);
  if (notReverted.length > 0)
    return new LociError(
      code,
      `"${title}" failed: ${message}\nNot everything was restored: ${notReverted.join('; ')}`,
      {
        hint: `${hint}\n\`loci openclaw undo\` restores the rest.`,
        cause: error,
      },
    );
  const restored = 'The configuration and the plugins of OpenClaw are as they were before.';
  if (code === 'aborted')
    return new LociError(code, `stopped at "${title}"`, { hint: restored, cause: error });
  return new LociError(code, `"${title}" failed: ${message}`, { hint: `${hint}\n${restored}`, cause: error });
}
