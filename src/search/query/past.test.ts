import { describe, expect, it } from 'vitest';
import { asksForReply, pastPhrases } from './past.ts';

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

describe('asksForReply', () => {
  it.each([
    ['what was that trail you recommended', true],
    ['Which trail did you suggest?', true],
    ['in our previous conversation about the cartoon', true],
    ['which hotel would you suggest', false],
    ['can you recommend a hotel', false],
    ['what I said about our conversation', false],
    ['what did Ada say', false],
  ])('tells what an assistant has said from what it may say: %s', (query, expected) => {
    expect(asksForReply(query)).toBe(expected);
  });
});
