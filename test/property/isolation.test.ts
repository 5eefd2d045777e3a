import { describe, it } from 'vitest';
import { repetitions } from '../repetitions.ts';
import { expectIsolation, expectMisspelledWords } from './isolation-property.ts';

const RUNS = repetitions(3, 20);

describe('callers that share a store', () => {
  it(
    'get the same results as if each were alone, from every operation on every surface (F6)',
    () => expectIsolation(() => Promise.resolve({}), RUNS),
    RUNS * 60_000,
  );

  it('send misspelled words of the others', expectMisspelledWords);
});
