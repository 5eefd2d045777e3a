import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Starts the tests of faults first. They spend most of their time waiting for leases and processes, while other tests run. */
export class FaultsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => (moduleId.includes('/test/faults/') ? 0 : 1);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
