import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { comparableAnswer } from './comparable-answer.ts';
import { bridgeSteps, misspelled, type Step, steps } from './isolation-history.ts';
import { outcomeOf, SharedServer } from './shared-server.ts';

const STEPS = 40;
/** Each member's namespace, which is also a word in all that the member writes. It may not be visible to other members. */
const SUBJECTS = ['zorblatine', 'quixaroth', 'fenwickle'] as const;
const OWNER = 'operatrix';
const REMOTE_OPERATIONS = (await Promise.all(OPERATIONS.map(({ load }) => load()))).filter(
  ({ local }) => local !== true,
);

const OPERATION_BY_NAME: ReadonlyMap<string, Operation> = new Map(
  REMOTE_OPERATIONS.map((operation) => [operation.name, operation]),
);

/** Waits for the next millisecond, so that the order of two records by time is the same in every store. */
async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await setImmediate();
}

interface StepResult {
  readonly step: Step;
  readonly result: unknown;
}

/** Runs the histories of all members, the nth steps at the same time. Returns the results of each member. */
async function runHistories(
  server: SharedServer,
  histories: ReadonlyMap<string, readonly Step[]>,
): Promise<Map<string, StepResult[]>> {
  const results = new Map([...histories.keys()].map((subject): [string, StepResult[]] => [subject, []]));
  const length = Math.max(...[...histories.values()].map((history) => history.length));
  for (let i = 0; i < length; i++) {
    await nextMillisecond();
    const calls = [...histories].map(async ([subject, history]) => {
      const step = history[i]!;
      const outcome = await outcomeOf(
        server.call(subject, step.surface, OPERATION_BY_NAME.get(step.operation)!, step.input),
      );
      results.get(subject)?.push({ step, result: comparableAnswer(outcome, server.rest.home) });
    });
    await Promise.all(calls);
  }
  return results;
}

function expectNoWordOf(others: readonly string[], output: unknown, label: string): void {
  const text = JSON.stringify(output).toLowerCase();
  for (const other of others) expect(text.includes(other), `${label} contains ${other}: ${text}`).toBe(false);
}

function othersOf(subject: string): string[] {
  return [...SUBJECTS, OWNER].filter((other) => other !== subject);
}

function historyOf(subject: string): fc.Arbitrary<Step[]> {
  return steps(REMOTE_OPERATIONS, subject, othersOf(subject), STEPS).map((drawn) => [
    ...bridgeSteps(subject),
    ...drawn,
  ]);
}

/**
 * Expects that callers who share a store get the same results as if each were alone, from every operation on every surface.
 * @param settings those of a new store
 */
export async function expectIsolation(settings: () => Promise<object>, numRuns: number): Promise<void> {
  const called = new Set<string>();
  const property = fc.asyncProperty(fc.tuple(...SUBJECTS.map(historyOf)), async (drawn) => {
    const histories = new Map(SUBJECTS.map((subject, i) => [subject, drawn[i]!] as const));
    const together = await SharedServer.open(OWNER, await settings());
    await Promise.all(SUBJECTS.map((subject, i) => together.addMember(subject, i === 1 ? 'jwt' : 'token')));
    const results = await runHistories(together, histories);
    for (const [i, subject] of SUBJECTS.entries()) {
      const alone = await SharedServer.open(OWNER, await settings());
      await alone.addMember(subject, i === 1 ? 'jwt' : 'token');
      const expected =
        (await runHistories(alone, new Map([[subject, histories.get(subject)!]]))).get(subject) ?? [];
      const bridged = (results.get(subject) ?? []).slice(0, bridgeSteps(subject).length);
      expect(JSON.stringify(bridged)).toContain('"how":"mentioned"');
      for (const [at, { step, result }] of (results.get(subject) ?? []).entries()) {
        const label = `${subject}'s step ${String(at)}, ${step.operation} over ${step.surface}`;
        expectNoWordOf(othersOf(subject), result, label);
        expect(result, `${label}: ${JSON.stringify(step.input)}`).toEqual(expected[at]?.result);
        called.add(`${step.operation} ${step.surface}`);
      }
      const [listed, listedAlone] = [await together.readAll(subject), await alone.readAll(subject)];
      expectNoWordOf(othersOf(subject), listed, `the MCP lists of ${subject}`);
      expect(comparableAnswer(listed, together.rest.home)).toEqual(
        comparableAnswer(listedAlone, alone.rest.home),
      );
      await alone.close();
    }
    expectNoWordOf(SUBJECTS, await together.sharedOutputs(SUBJECTS[0]), 'an output for all members');
    expect(await together.failedChecks()).toEqual([]);
    await together.close();
  });
  await fc.assert(property, { numRuns, endOnFailure: true });
  if (numRuns > 1) expect(called.size).toBeGreaterThan(2 * REMOTE_OPERATIONS.length);
}

/** Expects that the drawn inputs have misspelled words of the others. */
export function expectMisspelledWords(): void {
  for (const subject of SUBJECTS) {
    const drawn = fc.sample(historyOf(subject), { numRuns: 5, seed: 1 }).flat();
    const inputs = drawn.map(({ input }) => input);
    for (const other of othersOf(subject)) expect(JSON.stringify(inputs)).toContain(misspelled(other));
    expectNoWordOf(othersOf(subject), inputs, 'an input');
  }
}
