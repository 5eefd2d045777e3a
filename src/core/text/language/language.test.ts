import { describe, expect, it } from 'vitest';
import { analyze } from '../analyze.ts';
import { isFunctionWordOf, languagesOf, storedLanguages, type StoredLanguage } from './language.ts';
import { stemIn } from './stemmers.ts';

function words(text: string): string[] {
  return analyze(text).map(({ surface }) => surface);
}

/** The languages of passages with these texts, of which each is there several times. */
function languagesOfPassages(
  ...passages: readonly (readonly [text: string, times: number])[]
): StoredLanguage[] {
  const counts = new Map<string, number>();
  for (const [text, times] of passages)
    for (const word of new Set(words(text))) counts.set(word, (counts.get(word) ?? 0) + times);
  const isSmall = passages.every(([, times]) => times < 10);
  return storedLanguages({
    passages: passages.reduce((sum, [, times]) => sum + times, 0),
    passagesOf: (word) => counts.get(word) ?? 0,
    words: isSmall ? [...counts] : [],
  });
}

const GERMAN = 'Der Vertrag ist nicht mit dem Vermieter und auf das Haus, ein Entwurf für uns';
const ENGLISH = 'The lease and the deposit are for this flat, with that letter from Ada';

describe('the languages of a text', () => {
  it.each<[string, StoredLanguage[]]>([
    ['Wie hoch ist die Steuer für mein Auto?', ['de']],
    ['¿Cuándo pagué las facturas del agua?', ['es']],
    ['Où sont les clés de la voiture ?', ['fr']],
    ['Quanto custa isso e quando você paga?', ['pt']],
    ['Quando abbiamo pagato le bollette della luce?', ['it']],
    ['Hoeveel kost het om dit te doen?', ['nl']],
    ['Hur mycket kostar det att laga bilen?', ['sv']],
    ['Kuinka paljon se maksoi, kun hän oli siellä?', ['fi']],
    ['Когда мы платили за воду?', ['ru']],
    ['how do plants die in the dark', ['en']],
  ])('are seen by its function words: %s', (text, languages) => {
    expect(languagesOf(words(text))).toEqual(languages);
  });

  it('are all languages without any evidence', () => {
    expect(languagesOf(words('Kubernetes 2026'))).toHaveLength(15);
  });

  it('make a word a function word', () => {
    expect(isFunctionWordOf('essa', ['pt'])).toBe(true);
    expect(isFunctionWordOf('essa', ['de', 'en'])).toBe(false);
    expect(isFunctionWordOf('the', ['en'])).toBe(true);
  });
});

describe('the languages of a vocabulary', () => {
  it.each<[string, StoredLanguage[], (readonly [string, number])[]]>([
    ['of one note', ['de'], [['Ich habe die Steuern bezahlt', 1]]],
    ['of many passages', ['en'], [[ENGLISH, 1000]]],
    [
      'of passages of which one in a hundred is German',
      ['en', 'de'],
      [
        [ENGLISH, 990],
        [GERMAN, 10],
      ],
    ],
    [
      'of English passages with German names',
      ['en'],
      [
        [ENGLISH, 900],
        ['Der Spiegel, Die Zeit, Das Boot', 100],
      ],
    ],
    [
      'of a German note among others',
      ['en', 'de'],
      [
        [ENGLISH, 9],
        ['Der Vertrag ist nicht mit dem Vermieter', 1],
      ],
    ],
    ['without function words', [], [['Marzipan', 3]]],
  ])('%s', (_, languages, passages) => {
    expect(languagesOfPassages(...passages)).toEqual(languages);
  });
});

describe('inflections of a word', () => {
  it.each<[Exclude<StoredLanguage, 'en'>, string, string]>([
    ['da', 'regningerne', 'regning'],
    ['de', 'Häuser', 'Haus'],
    ['es', 'canción', 'canciones'],
    ['es', 'facturas', 'facturación'],
    ['fi', 'talossa', 'talot'],
    ['fr', 'chevaux', 'cheval'],
    ['hu', 'házak', 'háza'],
    ['it', 'bolletta', 'bollette'],
    ['nl', 'rekeningen', 'rekening'],
    ['no', 'regningene', 'regning'],
    ['pt', 'informações', 'informação'],
    ['ro', 'facturile', 'facturi'],
    ['ru', 'новый', 'новая'],
    ['sv', 'räkningarna', 'räkning'],
    ['tr', 'evler', 'ev'],
  ])('have the same stem in %s: %s and %s', (language, one, other) => {
    const [a = '', b = ''] = words(`${one} ${other}`);
    expect(stemIn(language, a)).toBe(stemIn(language, b));
  });
});
