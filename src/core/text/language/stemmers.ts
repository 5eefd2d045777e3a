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

/** Restores the accents of endings, by which the Snowball algorithms recognise them: folded words have none. */
const RESTORED: Partial<Record<Language, readonly (readonly [RegExp, string])[]>> = {
  es: [[/cion$/, 'ción']],
  pt: [
    [/ao$/, 'ão'],
    [/oes$/, 'ões'],
    [/(?<=[çc])ão$/, 'ão'],
  ],
  ru: [[/(?<=[аоуыэюяеи])и$/, 'й']],
};

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
  for (const [ending, replacement] of RESTORED[language] ?? [])
    restored = restored.replace(ending, replacement);
  const stem = fold(STEMMERS[language](restored));
  stems.set(key, stem);
  return stem;
}
