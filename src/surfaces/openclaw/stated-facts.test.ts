import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statedFacts } from './stated-facts.ts';

describe('facts that a message states', () => {
  it.each([
    ['Please remember that the plumber is called Tove.', ['The plumber is called Tove.']],
    ["Don't forget: the bins go out on Tuesday.", ['The bins go out on Tuesday.']],
    ['Merk dir bitte, dass der Schlüssel beim Nachbarn liegt.', ['Der Schlüssel beim Nachbarn liegt.']],
    ['My sister lives in Bergen. Nice weather today!', ['My sister lives in Bergen.']],
    ["I'm allergic to peanuts.", ["I'm allergic to peanuts."]],
    ['I prefer answers in German.', ['I prefer answers in German.']],
    ['We decided to take the oak worktop.', ['We decided to take the oak worktop.']],
    ['Meine Tochter heißt Ada.', ['Meine Tochter heißt Ada.']],
    ['Wir haben uns für die Wärmepumpe entschieden.', ['Wir haben uns für die Wärmepumpe entschieden.']],
  ])('%s', (message, facts) => {
    expect(statedFacts(message)).toEqual(facts);
  });

  it.each([
    'What did we decide about the oven?',
    'Is my sister coming on Friday?',
    'If my car is ready, call me.',
    'Maybe we decided that too early, I am not sure.',
    'Could you remember that?',
    'Write a poem about the sea.',
    '> My boss is stupid\nWhat should I answer to this mail?',
    '```\nmy password is swordfish\n```',
    'Fix the bug in `my code is broken` please.',
    'Remember when we were young?',
    'Wenn meine Mutter da ist, rufe ich an.',
  ])('are none in: %s', (message) => {
    expect(statedFacts(message)).toEqual([]);
  });

  it('are each listed once', () => {
    expect(statedFacts('I prefer tea over coffee. I prefer tea over coffee.')).toHaveLength(1);
  });

  it('are short sentences of the message, whatever the message is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2000 }), (message) => {
        for (const fact of statedFacts(`I prefer tea. ${message}`))
          expect(fact.length).toBeLessThanOrEqual(300);
      }),
    );
  });
});
