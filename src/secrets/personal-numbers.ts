import { findPatterns, maskSecrets, type SecretPattern } from './secret.ts';

const ALONE = '(?<![0-9A-Za-z]|[0-9][.,-])';
const END = '(?![0-9A-Za-z]|[.,-][0-9])';

function number(kind: string, format: string, accept?: (digits: string) => boolean): SecretPattern {
  const pattern = new RegExp(`${ALONE}(?:${format})${END}`, 'g');
  return { kind, pattern, ...(accept && { accept: (found) => accept(found.replaceAll(/[ .-]/g, '')) }) };
}

/** Numbers of cards, accounts and people. A checksum is verified where the number has one. */
const PERSONAL_NUMBERS: readonly SecretPattern[] = [
  number('card number', '[3-6]\\d{3}(?:[ -]?\\d{4}){2}[ -]?\\d{1,4}(?:[ -]?\\d{3})?', isLuhn),
  number('card number', '3[47]\\d{2}[ -]?\\d{6}[ -]?\\d{5}|3[068]\\d{2}[ -]?\\d{6}[ -]?\\d{4}', isLuhn),
  // ISO 13616. The last group may be shorter; without it the next word is not taken for it.
  number('IBAN', '[A-Z]{2}\\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?', isIban),
  number('IBAN', '[A-Z]{2}\\d{2}(?: ?[0-9A-Z]{4}){2,7}', isIban),
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
    const found = findPatterns(rest, [pattern]);
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
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) =>
    String(Number.parseInt(letter, 36)),
  );
  return iban.length >= 15 && BigInt(digits) % 97n === 1n;
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
