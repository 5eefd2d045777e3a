/** Letters of other scripts and marks that look like Latin letters. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...'аaеeоoрpсcхxуyіiјjѕsԁdӏlАAВBЕEКKМMНHОOРPСCТTХXУYІIЈJЅSαaοoρpνvιiκkΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXıi',
  ].flatMap((letter, at, all) => (at % 2 === 0 ? [[letter, all[at + 1]!]] : [])),
);
const LOOKALIKE = new RegExp(`[${Object.keys(LOOKALIKES).join('')}]`, 'gu');
const MARKS: Readonly<Record<string, string>> = {
  '@': 'a',
  '0': 'o',
  '1': 'i',
  $: 's',
  '5': 's',
  '3': 'e',
  '!': 'i',
};

/** A text without invisible characters and with plain digits, and the same with the letters that its characters look like. */
export function foldedText(text: string): { readonly plain: string; readonly folded: string } {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/[’‘`´]/g, "'")
    .replaceAll(/(?!\d)\p{Nd}/gu, decimal);
  const folded = plain
    .replaceAll(LOOKALIKE, (letter) => LOOKALIKES[letter]!)
    .replaceAll(/(?<=\p{L})[@01$35!]{1,3}(?=\p{L})/gu, (marks) =>
      [...marks].map((mark) => MARKS[mark]!).join(''),
    )
    .replaceAll(/(?<!\p{L})\p{L}(?:[ .-]\p{L}){2,}(?!\p{L})/gu, (letters) =>
      letters.replaceAll(/\P{L}/gu, ''),
    );
  return { plain, folded };
}

/** The digits of a script are ten characters in a row, and the first is the only one that no digit precedes. */
function decimal(digit: string): string {
  const code = digit.codePointAt(0)!;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}
