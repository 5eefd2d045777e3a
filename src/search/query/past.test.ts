import { expect, it } from 'vitest';
import { pastPhrases } from './past.ts';

it.each([
  'What was the guest wifi password?',
  'where did I live before Basel',
  'who used to teach violin',
  'my old number plate',
  'who was the first manager',
  'when was my previous appointment',
  'wo wohnte ich früher',
  'wie hieß die alte Adresse',
  'cuál era la contraseña',
  'quelle était l’ancienne adresse',
  'qual era la password',
  'wat was het wachtwoord',
  'какой был прежний пароль',
  '以前的密码',
])('asks for the past: %s', (query) => {
  expect(pastPhrases(query)).not.toEqual([]);
});

it.each([
  'what is the guest wifi password',
  'how old is Emma',
  'Who was Kinsey Millhone created by?',
  'Where was the band founded?',
  'which university was she educated at',
  'when is the war museum open',
  'wann ist die Prüfung',
  'dónde está la llave',
])('does not: %s', (query) => {
  expect(pastPhrases(query)).toEqual([]);
});
