import { describe, expect, it } from 'vitest';
import { maskPersonalNumbers } from './personal-numbers.ts';

/** Test numbers of the schemes, and of their documentation. */
const NUMBERS: readonly (readonly [kind: string, number: string])[] = [
  ['card number', '4111 1111 1111 1111'],
  ['card number', '5555-5555-5555-4444'],
  ['card number', '378282246310005'],
  ['card number', '3782 822463 10005'],
  ['card number', '6011111111111117'],
  ['IBAN', 'DE89 3704 0044 0532 0130 00'],
  ['IBAN', 'GB82WEST12345698765432'],
  ['IBAN', 'BE68 5390 0754 7034'],
  ['card number', '2223000048400011'],
  ['card number', '2720 9900 0000 0007'],
  ['card number', '4111\u00a01111\u00a01111\u00a01111'],
  ['card number', '4111.1111.1111.1111'],
  ['card number', '3782\u202f822463\u202f10005'],
  ['card number', '4111\u200b1111\u200b1111\u200b1111'],
  ['IBAN', 'de89 3704 0044 0532 0130 00'],
  ['IBAN', 'gb82west12345698765432'],
  ['IBAN', 'DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000'],
  ['IBAN', 'DE89-3704-0044-0532-0130-00'],
  ['IBAN', 'DE89\u200b370400440532013000'],
  ['IBAN', 'NO93 8601 1117 947'],
  ['IBAN', 'FR14 2004 1010 0505 0001 3M02 606'],
  ['IBAN', 'MT84 MALT 0110 0001 2345 MTLC AST0 01S'],
  ['national id', '078-05-1120'],
  ['national id', 'QQ 12 34 56 C'.replace('QQ', 'AB')],
  ['national id', 'RSSMRA85T10A562S'],
  ['national id', '12345678Z'],
  ['national id', 'X1234567L'],
  ['national id', '2 55 08 14 168 025 38'],
  ['national id', '529.982.247-25'],
  ['national id', '11010519491231002X'],
];

describe('maskPersonalNumbers', () => {
  it.each(NUMBERS)('masks a %s: %s', (kind, number) => {
    expect(maskPersonalNumbers(`Mine is ${number}. BIC of it`)).toEqual({
      text: `Mine is [secret masked: ${kind}]. BIC of it`,
      kinds: [kind],
    });
    expect(maskPersonalNumbers(`${number} BIC`).text).toBe(`[secret masked: ${kind}] BIC`);
    expect(maskPersonalNumbers(`${number} bank`).text).toBe(`[secret masked: ${kind}] bank`);
    expect(maskPersonalNumbers(`7,${number},12/27`).text).toBe(`7,[secret masked: ${kind}],12/27`);
  });

  it.each([
    '4111 1111 1111 1112 and DE88 3704 0044 0532 0130 00 have a wrong checksum, as 12345678A and 529.982.247-26 do',
    'On 2024-05-01 at 10:30:45, order 1000-2000-3000, phone +49 30 1234567, version 4.1.1, 1716240000000',
    'commit a94a8fe5ccb19ba61c4c0873d391e987982fbbd3, uuid 41111111-1111-4111-8111-111111111111',
    '2220 0000 0000 0009, 2721 0000 0000 0004; de89 people came; 1,234,567,890,123,456; 0.4111111111111111; at 48 km it was 1234 meters wide',
    '000-12-3456, 666-12-3456 and 912-12-3456 are never assigned',
  ])('leaves others alone: %s', (text) => {
    expect(maskPersonalNumbers(text)).toEqual({ text, kinds: [] });
  });

  it('takes linear time', () => {
    for (const part of [
      '4',
      '4111 ',
      'DE89 3704 ',
      '1 ',
      'AB12',
      '12 34 56 ',
      'de89',
      'DE89-',
      '2223 ',
      '4\u200b',
    ])
      expect(maskPersonalNumbers(part.repeat(250_000 / part.length)).text.length).toBeGreaterThan(0);
  });
});
