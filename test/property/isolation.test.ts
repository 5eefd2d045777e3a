import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { misspelled, type Step, steps } from './isolation-history.ts';
import { outcomeOf, SharedServer } from './isolation-world.ts';
import { repetitions } from '../repetitions.ts';

const RUNS = repetitions(3, 20);
const STEPS = 40;
/** A namespace, and the word in everything that is written there. Neither may be visible anywhere else. */
const SUBJECTS = ['zorblatine', 'quixaroth', 'fenwickle'] as const;
const OWNER = 'operatrix';
const REMOTE_OPERATIONS = (await Promise.all(OPERATIONS.map(({ load }) => load()))).filter(
  ({ local }) => local !== true,
);

const OPERATION_BY_NAME: ReadonlyMap<string, Operation> = new Map(
  REMOTE_OPERATIONS.map((verb) => [verb.name, verb]),
);

/** Differences between two stores with the same history: times, paths and random values. */
function normalised(answer: unknown, { server }: SharedServer): unknown {
  const text = JSON.stringify(answer)
    .replaceAll(server.home, 'HOME')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replaceAll(/\b\d{13}\/UUID/g, 'TIME/UUID')
    .replaceAll(/(\\*"(?:took_ms|bytes)\\*":)[\d.]+/g, '$1N')
    .replaceAll(/(\\*"docid\\*":\\*")[0-9a-f]{6}/g, '$1ID')
    .replaceAll(/\b[\d.]+ (?:[KMGT]i?B)\b/g, 'N')
    // At the end of the description of a run, which may be cut there.
    .replaceAll(/At: [\d:T.-]*…/g, 'At: …')
    .replaceAll(/\(\d+(?: m?s?)?(?:\)|…)/g, '(N)')
    .replaceAll(/(?:just now|\d+ (?:second|minute)s? ago)/g, 'AGE')
    // The age of a record has a small effect on these.
    .replaceAll(/\b0\.\d+/g, (number) => Number(number).toFixed(2));
  return JSON.parse(text.replaceAll(/":N([,}])/g, '":0$1').replaceAll(/\\":N([,}])/g, '\\":0$1'));
}

/** The next millisecond: which of two records is newer is then the same in every store. */
async function tick(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await setImmediate();
}

interface StepResult {
  readonly step: Step;
  readonly result: unknown;
}

/** Runs the nth step of all members at the same time, then everything else that each can read. */
async function runHistories(
  world: SharedServer,
  histories: ReadonlyMap<string, readonly Step[]>,
): Promise<Map<string, StepResult[]>> {
  const lived = new Map([...histories.keys()].map((subject): [string, StepResult[]] => [subject, []]));
  for (let i = 0; i < STEPS; i++) {
    await tick();
    const asked = [...histories].map(async ([subject, history]) => {
      const step = history[i]!;
      const told = await outcomeOf(
        world.call(subject, step.surface, OPERATION_BY_NAME.get(step.operation)!, step.input),
      );
      lived.get(subject)?.push({ step, result: normalised(told, world) });
    });
    await Promise.all(asked);
  }
  return lived;
}

function expectNothingOf(others: readonly string[], told: unknown, what: string): void {
  const text = JSON.stringify(told).toLowerCase();
  for (const other of others) expect(text.includes(other), `${what} tells of ${other}: ${text}`).toBe(false);
}

describe('callers that share a store', () => {
  const othersOf = (subject: string): string[] => [...SUBJECTS, OWNER].filter((other) => other !== subject);
  const history = (subject: string): fc.Arbitrary<Step[]> =>
    steps(REMOTE_OPERATIONS, subject, othersOf(subject), STEPS);

  it(
    'are each told what they would be told alone, by every verb on every surface (F6)',
    async () => {
      const asked = new Set<string>();
      const alike = fc.asyncProperty(fc.tuple(...SUBJECTS.map(history)), async (drawn) => {
        const histories = new Map(SUBJECTS.map((subject, i) => [subject, drawn[i]!] as const));
        const together = await SharedServer.open(OWNER);
        await Promise.all(
          SUBJECTS.map((subject, i) => together.addMember(subject, i === 1 ? 'jwt' : 'token')),
        );
        const lived = await runHistories(together, histories);
        for (const [i, subject] of SUBJECTS.entries()) {
          const alone = await SharedServer.open(OWNER);
          await alone.addMember(subject, i === 1 ? 'jwt' : 'token');
          const own =
            (await runHistories(alone, new Map([[subject, histories.get(subject)!]]))).get(subject) ?? [];
          for (const [at, { step, result: told }] of (lived.get(subject) ?? []).entries()) {
            const what = `${subject}'s step ${String(at)}, ${step.operation} over ${step.surface}`;
            expectNothingOf(othersOf(subject), told, what);
            expect(told, `${what}: ${JSON.stringify(step.input)}`).toEqual(own[at]?.result);
            asked.add(`${step.operation} ${step.surface}`);
          }
          const [seen, seenAlone] = [await together.readAll(subject), await alone.readAll(subject)];
          expectNothingOf(othersOf(subject), seen, `what ${subject} sees`);
          expect(normalised(seen, together)).toEqual(normalised(seenAlone, alone));
          await alone.close();
        }
        expectNothingOf(SUBJECTS, await together.sharedOutputs(SUBJECTS[0]), 'what is told to all');
        expect(await together.failedChecks()).toEqual([]);
        await together.close();
      });
      await fc.assert(alike, { numRuns: RUNS, endOnFailure: true });
      expect(asked.size).toBeGreaterThan(2 * REMOTE_OPERATIONS.length);
    },
    RUNS * 60_000,
  );

  it('search for words that are similar to those of others', () => {
    for (const subject of SUBJECTS) {
      const drawn = fc.sample(history(subject), { numRuns: 5, seed: 1 }).flat();
      const inputs = drawn.map(({ input }) => input);
      for (const other of othersOf(subject)) expect(JSON.stringify(inputs)).toContain(misspelled(other));
      expectNothingOf(othersOf(subject), inputs, 'a question');
    }
  });
});
