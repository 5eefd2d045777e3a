import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { LRUCache } from 'lru-cache';
import { fold } from '../analyze.ts';
import type { Language } from './language.ts';

type Stemmer = (word: string) => string;

/** Endings with their accents, by which the Snowball algorithms recognise them: folded words have none. */
const ACCENTED_ENDINGS: Partial<Record<Language, readonly Replacement[]>> = {
  es: [[/cion$/, 'ción']],
  pt: [
    [/cao$/, 'ção'],
    [/coes$/, 'ções'],
  ],
  ru: [[/(?<=[аоуыэюяеи])и$/, 'й']],
  // The vowel of an ending is ı after a, and after another ı.
  tr: [[/(?<=a[^aeou]*)i/g, 'ı']],
};

/** Letters that people also write in another way, as in "Mueller" and "Müller". Folding removes the dots of `ü`. */
const SPELLINGS: Partial<Record<Language, readonly Replacement[]>> = {
  de: [...both('ae', 'a'), ...both('oe', 'o'), ...both('ue', 'u')],
  da: [...both('oe', 'o'), ...both('aa', 'a')],
  no: [...both('oe', 'o'), ...both('aa', 'a')],
};

type Replacement = readonly [pattern: RegExp, replacement: string];

function both(one: string, other: string): Replacement[] {
  return [
    [new RegExp(one), other],
    [new RegExp(other), one],
  ];
}

/** A folded word and the other ways in which people write it. */
export function spellingsIn(language: Language, word: string): Set<string> {
  const others = (SPELLINGS[language] ?? []).map(([pattern, letters]) => word.replace(pattern, letters));
  return new Set([word, ...others]);
}

const STEMMERS: Readonly<Record<Language, Stemmer>> = {
  ...{ da: danish, nl: dutch, fi: finnish, fr: french, de: german, hu: hungarian, it: italian },
  ...{ no: norwegian, pt: portuguese, ro: romanian, ru: russian, es: spanish, sv: swedish, tr: turkish },
};

const stems = new LRUCache<string, string>({ max: 50_000 });

/** The Snowball stem of a folded word, folded. */
export function stemIn(language: Language, word: string): string {
  const key = `${language} ${word}`;
  const cached = stems.get(key);
  if (cached !== undefined) return cached;
  let restored = word;
  for (const [ending, replacement] of ACCENTED_ENDINGS[language] ?? [])
    restored = restored.replace(ending, replacement);
  const stem = fold(STEMMERS[language](restored));
  stems.set(key, stem);
  return stem;
}
