import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { requestedFacts } from '../src/engine/capture/sentences/requested-facts.ts';

/** Labelled messages: `store` asks to remember something that is no secret, `nothing` is anything else. */
const SET = new URL('capture.tsv', import.meta.url);

it('auto-capture stores what the owner asks to remember, nothing else, and no secret', async () => {
  const messages = readFileSync(SET, 'utf8').trimEnd().split('\n');
  expect(messages.length).toBeGreaterThan(500);
  const mistakes: string[] = [];
  for (const line of messages) {
    const [label, , message = ''] = line.split('\t');
    const { facts } = await requestedFacts(message);
    if (facts.length > 0 !== (label === 'store')) mistakes.push(line);
  }
  expect(mistakes).toEqual([]);
});

it('decides the same in a process in which V8 optimizes no patterns', () => {
  const module = JSON.stringify(
    new URL('../src/engine/capture/sentences/requested-facts.ts', import.meta.url),
  );
  const script = `const { requestedFacts } = await import(${module});
    console.log((await requestedFacts('REMEMBER THAT The Plumber is Tove.')).facts.join());`;
  const args = ['--no-regexp-optimization', '--input-type=module', '--eval', script];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('The Plumber is Tove.\n');
});
