import type { Reporter, TestModule, Vitest } from 'vitest/node';

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** A file that could not be loaded, or a hook that failed, is a failure even where no test of its own is. */
function tallyOf(modules: readonly TestModule[], unhandled: number): Tally {
  const tally: Tally = { passed: 0, failed: unhandled, skipped: 0 };
  for (const module of modules) {
    tally.failed += module.errors().length;
    for (const suite of module.children.allSuites()) tally.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // `pending` is a test that a broken hook or an interruption kept from running.
      tally[state === 'pending' ? 'skipped' : state] += 1;
    }
  }
  return tally;
}

/** Ends the run with `N passed, N failed, N skipped`, alone on its line, for whoever reads with a program. */
class TallyReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const { passed, failed, skipped } = tallyOf(modules, unhandledErrors.length);
    this.#vitest?.logger.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
}

// Vitest loads a reporter by its file's default export.
export default TallyReporter;
