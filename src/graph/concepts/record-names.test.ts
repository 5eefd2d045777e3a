import { describe, expect, it } from 'vitest';
import { credentialSamples } from '../../../test/contract/credential-samples.ts';
import type { LociRecord } from '../../core/types.ts';
import { isMentionable, nameKey } from '../../core/names/name.ts';
import { isLikelyName, phrasesIn } from '../../core/names/phrases.ts';
import { findMentions, type NamedText, readNames } from './record-names.ts';

type Named = Parameters<typeof readNames>[0][number];

async function namesOfRecord(record: Named) {
  const [names] = await readNames([record]);
  return names!;
}

function mentionsInRecord(record: Named, own: NamedText['own'], keys: readonly string[]) {
  return findMentions([{ ...record, own }], keys)[0];
}

function note(fields: Partial<LociRecord> = {}): Named {
  const identity = { source: 'v', identity: null, uuid: 'u', project: 'p' };
  return {
    ...identity,
    origin: 'vault',
    key: 'a.md',
    title: 'Oven',
    tags: [],
    metadata: {},
    content: '',
    ...fields,
  };
}

function phrases(text: string): string[] {
  return phrasesIn(text)
    .filter(isLikelyName)
    .map((phrase) => phrase.text);
}

describe('the names of a record', () => {
  it('are the title and aliases of a note, tags, and phrases with their lines', async () => {
    const record = note({
      metadata: { aliases: ['Baking stove', 7, 'Oven'] },
      tags: ['kitchen/new-tiles'],
      content: 'a\nWe asked Miller Brothers about “slow heat”.',
    });
    expect((await namesOfRecord(record)).names).toEqual([
      { key: 'oven', text: 'Oven', kind: 'title', line: null },
      { key: 'baking stove', text: 'Baking stove', kind: 'alias', line: null },
      { key: 'new tiles', text: 'kitchen/new-tiles', kind: 'tag', line: null },
      { key: 'miller brothers', text: 'Miller Brothers', kind: 'phrase', line: 2 },
      { key: 'slow heat', text: 'slow heat', kind: 'phrase', line: 2 },
    ]);
  });

  it('are the file name of a note and its title without what is in parentheses, as for searches', async () => {
    const { names } = await namesOfRecord(note({ title: 'Mercury (planet)', key: 'space/Planet One.md' }));
    expect(names.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'title Mercury (planet)',
      'alias Mercury',
      'alias Planet One',
    ]);
  });

  it('are no titles of records that are no notes', async () => {
    expect(await namesOfRecord(note({ origin: 'memory', key: null }))).toEqual({
      project: 'p',
      note: null,
      names: [],
    });
  });

  it('are no single letters, numbers, dates, function words or kinds of notes', () => {
    for (const name of 'A/it/AI/2026/2026-11-25/The/über uns/Inbox/README/無題/我/🙂/'.split('/'))
      expect(isMentionable(nameKey(name)), name).toBe(false);
    for (const name of ['Oven', 'C3PO', '厨房', '台所', 'Q3 plan', 'Über Ada'])
      expect(isMentionable(nameKey(name)), name).toBe(true);
    expect(isMentionable(nameKey('word '.repeat(30)))).toBe(false);
  });

  it('are at most 32 aliases of a note', async () => {
    const aliases = Array.from({ length: 200 }, (_, i) => `alias number${String(i)}`);
    const record = note({ key: 'kitchen/Oven.md', metadata: { aliases } });
    expect((await namesOfRecord(record)).names).toHaveLength(33);
  });
});

describe('credentials', () => {
  const KEY = credentialSamples(1).find(({ kind }) => kind === 'AWS access key')!.secret;

  async function texts(fields: Partial<LociRecord>): Promise<string[]> {
    const { names } = await namesOfRecord(note(fields));
    return names.filter(({ kind }) => kind !== 'title').map(({ text }) => text);
  }

  it('are no phrases, in quotes or not, wherever the record has them', async () => {
    for (const content of [
      'The wifi has the password: "Zebra-Quartz77". ask “Miller Brothers”.',
      'We use "Zebra-Quartz77" and zebra quartz77. Then password: "Zebra-Quartz77". ask “Miller Brothers”.',
      'password = PostgreSQL77x and “PostgreSQL77x rocks”. ask “Miller Brothers”.',
      `Key ${KEY} and “Key ${KEY}”. ask “Miller Brothers”.`,
    ]) {
      for (const front of ['', '---\npassword: Hunter2SecretX\nb: 1\n---\n'])
        expect(await texts({ content: front + content }), front + content).toEqual(['Miller Brothers']);
    }
  });

  it('are in no aliases and tags, whether the text has them or not', async () => {
    const fields = {
      metadata: { aliases: [`Machine ${KEY}`, 'the Zebra-Quartz77', 'Stove'] },
      tags: [`a/${KEY}`, 'zebra-quartz77', 'kitchen'],
    };
    expect(await texts({ ...fields, content: 'password: "Zebra-Quartz77"' })).toEqual(['Stove', 'kitchen']);
    expect(await texts({ metadata: { aliases: [`Machine ${KEY}`] }, tags: [KEY] })).toEqual([]);
  });

  it('do not hide names that only have a part of their letters', async () => {
    const content = 'password: "Zebra-Quartz77". It is “the zebra”.';
    expect(await texts({ content, tags: ['quartz'] })).toEqual(['quartz', 'the zebra']);
  });
});

describe('phrases', () => {
  it('are several capitalised words, or one of unusual case', () => {
    expect(phrases('Yesterday we met Ada Lovelace at the Museum of Modern Art about PostgreSQL.')).toEqual([
      'Ada Lovelace',
      'Museum of Modern Art',
      'PostgreSQL',
    ]);
    expect(phrases('We told Caroline. Then she left.')).toEqual(['Caroline']);
  });

  it('are no words that the text has in lower case too, nor months, weekdays and demonyms', () => {
    const kinds = (text: string): string[] =>
      phrasesIn(text).map(({ text: phrase, kind }) => `${kind} ${phrase}`);
    expect(kinds('We saw the Warning, a warning of Scottish people in November.')).toEqual(['word Warning']);
    expect(kinds('Open Obsidian, then open the vault. Miller Brothers came.')).toEqual([
      'word Open Obsidian',
      'opening Miller Brothers',
    ]);
    expect(kinds('However, we went to Falkirk.')).toEqual(['opening However', 'phrase Falkirk']);
  });

  it.each([
    ['Essa casa não é dos vizinhos. Que conta! A luz da Marta.', ['Marta']],
    ['Une note pour Marta. Des clés dans la voiture. Cette Note est à moi.', ['Marta']],
    ['Que nota para Marta. Esta casa no es de los vecinos. Los Vecinos.', ['Marta']],
    ['Questa nota per Marta. Anche la casa è sua, che bella.', ['Marta']],
    ['Deze notitie voor Marta. Het huis is niet van de buren. Het Huis.', ['Marta', 'Huis']],
    ['Denna lapp till Marta. Det är inte mitt hus. När är det klart?', ['Marta']],
    ['We met Mina, then Per, who is new. The oven is for Mia.', ['Mina', 'Per', 'Mia']],
  ])('are no function words of the language of the text: %s', (text, expected) => {
    const found = phrasesIn(text).map((phrase) => phrase.text);
    const words = 'Essa Que Une Des Cette Esta Los Questa Anche Deze Het Denna'.split(' ');
    expect(found.filter((phrase) => words.includes(phrase.split(' ')[0]!))).toEqual([]);
    expect(found).toEqual(expect.arrayContaining(expected));
  });

  it('are no single nouns of German', () => {
    expect(phrases('Der Ofen ist in der Küche, und die Stadtwerke München haben das Gas nicht.')).toEqual([
      'Stadtwerke München',
    ]);
  });

  it('are quoted in the ways of English, German, French, Chinese and Japanese', () => {
    expect(
      phrases(
        'Das ist nicht “slow heat” „lange Hitze“ "hot air" «air chaud» »heiße Luft« 「熱い空気」 『本の名前』 《红楼梦》',
      ),
    ).toEqual([
      'slow heat',
      'lange Hitze',
      'hot air',
      'air chaud',
      'heiße Luft',
      '熱い空気',
      '本の名前',
      '红楼梦',
    ]);
  });

  it('are not in links, code and addresses', () => {
    expect(phrases('see [[Ada Lovelace]], `New York`, [x](New%20York) and https://Ada.Lovelace')).toEqual([]);
  });
});

describe('mentions', () => {
  it('are counted for each name, without those of the record itself', async () => {
    const record = note({ content: 'tiles\nThe oven, tiles' });
    expect(mentionsInRecord(record, (await namesOfRecord(record)).names, ['oven', 'tiles'])).toEqual([
      { key: 'tiles', line: 1, count: 2 },
    ]);
  });

  it('are of at most 200 names', () => {
    const names = Array.from({ length: 500 }, (_, i) => `name${String(i)}x`);
    const record = note({ content: names.join(' ') });
    expect(mentionsInRecord(record, [], names)).toHaveLength(200);
  });
});
