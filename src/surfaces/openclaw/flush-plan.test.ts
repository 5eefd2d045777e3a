import fc from 'fast-check';
import { expect, it } from 'vitest';
import { flushPlan } from './flush-plan.ts';

const NOW = Date.parse('2026-11-24T23:30:00Z');

function configWith(defaults: object): { readonly cfg: object; readonly nowMs: number } {
  return { cfg: { agents: { defaults } }, nowMs: NOW };
}

it('the file has the date in the time zone of the user', () => {
  expect(flushPlan(configWith({ userTimezone: 'Pacific/Auckland' }))?.relativePath).toBe(
    'memory/2026-11-25.md',
  );
  expect(flushPlan(configWith({ userTimezone: 'America/Lima' }))?.relativePath).toBe('memory/2026-11-24.md');
});

it('a time zone that does not exist is ignored', () => {
  expect(flushPlan(configWith({ userTimezone: 'Moon/Tycho' }))?.relativePath).toMatch(
    /^memory\/2026-11-2[45]\.md$/,
  );
});

it('there is no plan if the owner has turned the flush off', () => {
  expect(flushPlan(configWith({ compaction: { memoryFlush: { enabled: false } } }))).toBeNull();
});

it('the thresholds fit into every context window', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 2_000_000 }), (contextWindowTokens) => {
      const plan = flushPlan({ nowMs: NOW, contextWindowTokens });
      expect(
        (plan?.reserveTokensFloor ?? Infinity) + (plan?.softThresholdTokens ?? Infinity),
      ).toBeLessThanOrEqual(contextWindowTokens);
    }),
  );
});
