import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that take much longer than their files are long. Started last, one of them alone would keep the run from ending. */
const LONG_TESTS = [
  '/test/linear-time.test.ts',
  '/test/contract/store.test.ts',
  '/e2e/examples.test.ts',
  '/e2e/installed.test.ts',
  '/e2e/mcp-conformance.test.ts',
  '/e2e/index-processes.test.ts',
  '/local/embedding-process.test.ts',
  '/e2e/default-skills.test.ts',
  '/engine/open.test.ts',
  '/property/isolation.test.ts',
  '/ingest/sync-renamed.test.ts',
  '/search/related.test.ts',
];

/**
 * Starts long tests first: those of the list, then those of faults, which spend most of their time waiting for leases and
 * processes while other tests run. In a fresh clone, Vitest knows no durations.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      if (LONG_TESTS.some((path) => moduleId.endsWith(path))) return 0;
      return moduleId.includes('/test/faults/') ? 1 : 2;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
