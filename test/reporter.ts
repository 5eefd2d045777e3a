import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

const MAX_SLOW_FILES = 20;
const MAX_FAILURES = 20;

/** A file that could not be loaded and a hook that failed count as failures, even if no test failed. */
function tallyOf(modules: readonly TestModule[], unhandled: number): Tally {
  const tally: Tally = { passed: 0, failed: unhandled, skipped: 0 };
  for (const module of modules) {
    tally.failed += module.errors().length;
    for (const suite of module.children.allSuites()) tally.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // A test is `pending` if a broken hook or an interruption prevented it from running.
      tally[state === 'pending' ? 'skipped' : state] += 1;
    }
  }
  return tally;
}

/** A line per file, the slowest first: seconds, the project's name and the path. */
function slowestFiles(modules: readonly TestModule[]): string[] {
  const files = modules.map((module) => {
    const { collectDuration, setupDuration, duration } = module.diagnostic();
    return { module, seconds: (collectDuration + setupDuration + duration) / 1000 };
  });
  return files
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, MAX_SLOW_FILES)
    .map(({ module: { moduleId, project }, seconds }) => {
      const path = relative(project.config.root, moduleId);
      return `${seconds.toFixed(1).padStart(7)} s  ${project.name.padEnd(7)}  ${path}`;
    });
}

/** A line per failed test: the path, the full name and the first line of each error. */
function failures(modules: readonly TestModule[]): string[] {
  return modules.flatMap((module) => {
    const path = relative(module.project.config.root, module.moduleId);
    return [...module.children.allTests('failed')].map((test) => {
      const messages = (test.result().errors ?? []).map(({ message }) => message.split('\n', 1)[0]);
      return `FAILED: ${path} > ${test.fullName}: ${messages.join('; ')}`;
    });
  });
}

/** Prints the slowest files, the names of the failed tests and, on the last line, `N passed, N failed, N skipped` for programs to read. */
class TallyReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const { passed, failed, skipped } = tallyOf(modules, unhandledErrors.length);
    if (modules.length > MAX_SLOW_FILES)
      this.#vitest?.logger.log(`The slowest files:\n${slowestFiles(modules).join('\n')}\n`);
    for (const line of failures(modules).slice(0, MAX_FAILURES)) this.#vitest?.logger.log(line);
    this.#vitest?.logger.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
}

// Vitest loads a reporter by its file's default export.
export default TallyReporter;
