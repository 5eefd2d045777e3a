import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteInMemory } from '../../../test/contract/sqlite-in-memory.ts';
import { note, write } from '../../../test/contract/store-samples.ts';
import { configSchema } from '../../config/schema.ts';
import { EngineContext } from '../context.ts';
import { search } from './search.ts';

const CONFIG = configSchema.parse({ embedding: { provider: 'none' } });

/** Notes of a vault in one language, with a query that has another inflection or spelling of a word of the first. */
const VAULTS: readonly (readonly [
  language: string,
  query: string,
  marked: string,
  notes: readonly string[],
])[] = [
  [
    'German',
    'Wann habe ich das Haus besichtigt?',
    'Häuser',
    ['Die Häuser am See sind nicht billig und wir haben noch keine Zusage', 'Das Auto ist in der Werkstatt'],
  ],
  [
    'German, typed without umlauts',
    'Mueller',
    'Müller',
    ['Frau Müller ist nicht mehr im Haus und hat ein Konto bei der Bank', 'Das Auto ist in der Werkstatt'],
  ],
  [
    'German, of one short note among English ones',
    'Haus',
    'Häuser',
    ['Die Häuser sind alt.', 'The oven is in the kitchen and the hob is with it, for the time being.'],
  ],
  [
    'German, of a compound',
    'Steuer',
    'Kraftfahrzeugsteuer',
    ['Die Kraftfahrzeugsteuer ist im Mai fällig und wird nicht erstattet', 'Das Auto ist in der Werkstatt'],
  ],
  [
    'German, with ss',
    'Hausstrasse',
    'Hausstraße',
    ['In der Hausstraße ist ein Wasserrohr nicht dicht und das seit Tagen', 'Das Auto ist in der Werkstatt'],
  ],
  [
    'Spanish',
    '¿Dónde están las canciones?',
    'canción',
    ['Esta es la canción que los niños cantan en la escuela', 'El coche no arranca por las mañanas'],
  ],
  [
    'French',
    'Où est le cheval ?',
    'chevaux',
    ['Les chevaux sont dans le pré avec une jument', 'La voiture est en panne et nous ne partons pas'],
  ],
  [
    'Portuguese',
    'Onde está a informação?',
    'informações',
    ['As informações não estão com os vizinhos, são da prefeitura', 'O carro não pega em dias frios'],
  ],
  [
    'Italian',
    'Dove sono le bollette?',
    'bolletta',
    [
      'La bolletta della luce non è per noi, sono soldi del condominio',
      'Il treno per Roma che parte alle nove',
    ],
  ],
  [
    'Swedish',
    'Var är räkningen?',
    'räkningar',
    [
      'Alla räkningar som inte är betalda ligger på bordet och i lådan',
      'Bilen är på verkstaden och det tar en vecka',
    ],
  ],
  [
    'Dutch',
    'Waar is de rekening voor het dak?',
    'rekeningen',
    ['De rekeningen zijn niet betaald, het geld is van de buurman', 'De auto staat voor het huis'],
  ],
  [
    'Russian',
    'Где новая книга?',
    'новый',
    ['Это новый список и он не для нас, как и в тот раз', 'Машина стоит у дома, что на углу'],
  ],
];

describe.each(VAULTS)('a vault in %s', (_, query, marked, notes) => {
  let context: EngineContext;

  beforeAll(async () => {
    context = EngineContext.create(CONFIG, openSqliteInMemory());
    await write(context.store, context.namespace, ...notes.map((text) => note(text)));
  });
  afterAll(() => context.close());

  it.each([{}, { origins: ['vault' as const], until: 10 ** 14 }])(
    'is searched for other inflections of the words of a query, which are marked: %j',
    async (filter) => {
      const { results, corrections } = await search(context, { query, ...filter });
      expect(corrections).toEqual([]);
      const { snippet, highlights } = results[0]!;
      expect(highlights.map(([start, end]) => snippet.slice(start, end).toLowerCase())).toContain(
        marked.toLowerCase(),
      );
    },
  );
});
