import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { bridgeSteps, misspelled, type Step, steps } from './isolation-history.ts';
import { outcomeOf, SharedServer } from './shared-server.ts';
import { repetitions } from '../repetitions.ts';

const RUNS = repetitions(3, 20);
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

/** Replaces what differs between two stores with the same history: times, paths and random values. */
function normalised(answer: unknown, { rest }: SharedServer): unknown {
  const text = JSON.stringify(answer)
    .replaceAll(rest.home, 'HOME')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'HASH')
    // The node of a written record has an id made of its UUID. Digits and letters have different numbers of tokens.
    .replaceAll(/\b[nt]_[0-9a-f]{16}\b/g, 'NODE')
    .replaceAll(/(loci-pack id=\\*")[0-9a-f]{6}/g, '$1ID')
    .replaceAll(/(\\*"used\\*":)\d+/g, '$1N')
    .replaceAll(/(one item needs, )\d+/g, '$1N')
    .replaceAll(/\b\d{13}\/UUID/g, 'TIME/UUID')
    .replaceAll(/(\\*"(?:took_ms|bytes)\\*":)[\d.]+/g, '$1N')
    .replaceAll(/(\\*"docid\\*":\\*")[0-9a-f]{6}/g, '$1ID')
    .replaceAll(/\b[\d.]+ (?:[KMGT]i?B)\b/g, 'N')
    // The description of a run ends with its time and may be truncated there.
    .replaceAll(/At: [\d:T.-]*…/g, 'At: …')
    .replaceAll(/\(\d+(?: m?s?)?(?:\)|…)/g, '(N)')
    .replaceAll(/(?:just now|\d+ (?:second|minute)s? ago)/g, 'AGE')
    // The age of a record has a small effect on these.
    .replaceAll(/\b0\.\d+/g, (number) => Number(number).toFixed(2));
  return inStableOrder(
    JSON.parse(text.replaceAll(/":N([,}])/g, '":0$1').replaceAll(/\\":N([,}])/g, '\\":0$1')),
  );
}

/** Lists of the graph are in the order of the ids of nodes, which differ between two stores. */
const LISTS_BY_ID: ReadonlySet<string> = new Set(['nodes', 'edges']);

/** Sorts the lists of `LISTS_BY_ID` by their text, also those in a string that is JSON. */
function inStableOrder(value: unknown, key = ''): unknown {
  if (typeof value === 'string' && /^\{"(?:nodes|edges)":/.test(value))
    return JSON.stringify(inStableOrder(JSON.parse(value)));
  if (Array.isArray(value)) {
    const items = value.map((item) => inStableOrder(item));
    if (!LISTS_BY_ID.has(key)) return items;
    return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inStableOrder(item, name)]));
}

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
      results.get(subject)?.push({ step, result: normalised(outcome, server) });
    });
    await Promise.all(calls);
  }
  return results;
}

function expectNoWordOf(others: readonly string[], output: unknown, label: string): void {
  const text = JSON.stringify(output).toLowerCase();
  for (const other of others) expect(text.includes(other), `${label} contains ${other}: ${text}`).toBe(false);
}

describe('callers that share a store', () => {
  const othersOf = (subject: string): string[] => [...SUBJECTS, OWNER].filter((other) => other !== subject);
  const history = (subject: string): fc.Arbitrary<Step[]> =>
    steps(REMOTE_OPERATIONS, subject, othersOf(subject), STEPS).map((drawn) => [
      ...bridgeSteps(subject),
      ...drawn,
    ]);

  it(
    'get the same results as if each were alone, from every operation on every surface (F6)',
    async () => {
      const called = new Set<string>();
      const property = fc.asyncProperty(fc.tuple(...SUBJECTS.map(history)), async (drawn) => {
        const histories = new Map(SUBJECTS.map((subject, i) => [subject, drawn[i]!] as const));
        const together = await SharedServer.open(OWNER);
        await Promise.all(
          SUBJECTS.map((subject, i) => together.addMember(subject, i === 1 ? 'jwt' : 'token')),
        );
        const results = await runHistories(together, histories);
        for (const [i, subject] of SUBJECTS.entries()) {
          const alone = await SharedServer.open(OWNER);
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
          expect(normalised(listed, together)).toEqual(normalised(listedAlone, alone));
          await alone.close();
        }
        expectNoWordOf(SUBJECTS, await together.sharedOutputs(SUBJECTS[0]), 'an output for all members');
        expect(await together.failedChecks()).toEqual([]);
        await together.close();
      });
      await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
      expect(called.size).toBeGreaterThan(2 * REMOTE_OPERATIONS.length);
    },
    RUNS * 60_000,
  );

  it('send misspelled words of the others', () => {
    for (const subject of SUBJECTS) {
      const drawn = fc.sample(history(subject), { numRuns: 5, seed: 1 }).flat();
      const inputs = drawn.map(({ input }) => input);
      for (const other of othersOf(subject)) expect(JSON.stringify(inputs)).toContain(misspelled(other));
      expectNoWordOf(othersOf(subject), inputs, 'an input');
    }
  });
});
