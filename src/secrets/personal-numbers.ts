import { findPatterns, maskSecrets, readableText, type SecretPattern } from './secret.ts';

// A comma may be next to it: it separates cells.
const ALONE = '(?<![0-9A-Za-z]|[0-9][.-])';
const END = '(?![0-9A-Za-z]|[.-][0-9])';
/** Between groups: a space, also one that does not break, a dot or a dash. */
const GAP = '[ \\u00a0\\u2009\\u202f.\\u2010-\\u2013-]?';

function number(
  kind: string,
  format: string,
  accept?: (digits: string) => boolean,
  flags = 'g',
): SecretPattern {
  const pattern = new RegExp(`${ALONE}(?:${format})${END}`, flags);
  const isValid = (found: string): boolean => accept?.(found.replaceAll(/[^0-9A-Za-z]/g, '')) ?? true;
  return { kind, pattern, accept: isValid };
}

/** The registry of ISO 13616: the countries, by the length of their numbers. */
const IBAN_COUNTRIES: Readonly<Record<number, string>> = {
  15: 'NO',
  16: 'BE',
  18: 'DK|FI|FK|FO|GL|NL|SD',
  19: 'MK|SI',
  20: 'AT|BA|EE|KZ|LT|LU|MN|XK',
  21: 'CH|HR|LI|LV',
  22: 'BG|BH|CR|DE|GB|GE|IE|ME|RS|VA',
  23: 'AE|GI|IL|IQ|OM|SO|TL',
  24: 'AD|CZ|ES|MD|PK|RO|SA|SE|SK|TN|VG',
  25: 'LY|PT|ST',
  26: 'IS|TR',
  27: 'BI|DJ|FR|GR|IT|MC|MR|SM',
  28: 'AL|AZ|BY|CY|DO|GT|HU|LB|NI|PL|SV',
  29: 'BR|EG|PS|QA|UA',
  30: 'JO|KW|MU|YE',
  31: 'MT|SC',
  32: 'LC',
  33: 'RU',
};

/** Numbers of cards, accounts and people. A checksum is verified where the number has one. */
const PERSONAL_NUMBERS: readonly SecretPattern[] = [
  number('card number', `[3-6]\\d{3}(?:${GAP}\\d{4}){2}${GAP}\\d{1,4}(?:${GAP}\\d{3})?`, isLuhn),
  number('card number', `3[47]\\d{2}${GAP}\\d{6}${GAP}\\d{5}|3[068]\\d{2}${GAP}\\d{6}${GAP}\\d{4}`, isLuhn),
  // Mastercard from 2017 on.
  number('card number', `2(?:22[1-9]|2[3-9]\\d|[3-6]\\d{2}|7[01]\\d|720)(?:${GAP}\\d{4}){3}`, isLuhn),
  ...Object.entries(IBAN_COUNTRIES).map(([length, countries]) =>
    number(
      'IBAN',
      `(?:${countries})${GAP}\\d{2}(?:${GAP}[0-9A-Z]){${String(Number(length) - 4)}}`,
      isIban,
      'gi',
    ),
  ),
  // The United States, the United Kingdom, Italy.
  number('national id', '(?!000|666|9)\\d{3}-(?!00)\\d{2}-(?!0000)\\d{4}'),
  number('national id', '[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?\\d{2}){3} ?[A-D]'),
  number('national id', '[A-Z]{6}\\d{2}[A-EHLMPR-T]\\d{2}[A-Z]\\d{3}[A-Z]'),
  // Spain, France, Brazil, China.
  number('national id', '(?:\\d{8}|[XYZ]-?\\d{7})-?[A-HJ-NP-TV-Z]', (id) => isSpanishId(id)),
  number(
    'national id',
    '[12](?: ?\\d{2}){3}(?: ?\\d{3}){2} ?\\d{2}',
    (id) => 97n - (BigInt(id.slice(0, 13)) % 97n) === BigInt(id.slice(13)),
  ),
  number('national id', '\\d{3}\\.\\d{3}\\.\\d{3}-\\d{2}', isCpf),
  number('national id', '[1-9]\\d{5}(?:19|20)\\d{9}[0-9X]', isChineseId),
];

/** Masks numbers of cards, accounts and people. Returns the kinds that were found too. */
export function maskPersonalNumbers(text: string): {
  readonly text: string;
  readonly kinds: readonly string[];
} {
  const kinds: string[] = [];
  const masked = PERSONAL_NUMBERS.reduce((rest, pattern) => {
    const readable = readableText(rest);
    const found = findPatterns(readable.text, [pattern]).map(({ kind, start, end }) => ({
      kind,
      start: readable.original(start),
      end: readable.original(end - 1) + 1,
    }));
    kinds.push(...found.map(({ kind }) => kind));
    return maskSecrets(rest, found);
  }, text);
  return { text: masked, kinds };
}

/** ISO/IEC 7812-1, annex B. */
function isLuhn(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return digits.length >= 13 && digits.length <= 19 && sum % 10 === 0;
}

/** ISO 7064, MOD 97-10: letters are 10 to 35. */
function isIban(iban: string): boolean {
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/gi, (letter) =>
    String(Number.parseInt(letter, 36)),
  );
  return BigInt(digits) % 97n === 1n;
}

function isSpanishId(id: string): boolean {
  const value = Number(id.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter))));
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[value % 23] === id.at(-1);
}

function isCpf(digits: string): boolean {
  const check = (length: number): number => {
    const sum = [...digits.slice(0, length)].reduce(
      (total, digit, i) => total + Number(digit) * (length + 1 - i),
      0,
    );
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]) && !/^(\d)\1*$/.test(digits);
}

/** ISO 7064, MOD 11-2. */
function isChineseId(id: string): boolean {
  const sum = [...id.slice(0, 17)].reduce((total, digit) => ((total + Number(digit)) * 2) % 11, 0);
  return '0123456789X'[(12 - sum) % 11] === id.at(-1);
}
