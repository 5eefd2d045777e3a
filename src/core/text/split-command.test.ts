import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LociError } from '../errors.ts';
import { argvOf, splitCommand } from './split-command.ts';

function faultOf(line: string): LociError {
  try {
    splitCommand(line);
  } catch (error) {
    if (error instanceof LociError) return error;
  }
  throw new Error(`no LociError for ${line}`);
}

describe('splitting a command line', () => {
  it('splits words at blanks, and joins adjacent quoted parts', () => {
    const lines: readonly (readonly [string, readonly string[]])[] = [
      ['gcalcli --nocolor  agenda\t--tsv', ['gcalcli', '--nocolor', 'agenda', '--tsv']],
      [`  task "a b"'c d'e\\ f ''  `, ['task', 'a bc de f', '']],
      [String.raw`a "x\"y\\z\n" 'it'\''s' \$HOME`, ['a', String.raw`x"y\z\n`, "it's", '$HOME']],
      [`jq '.[] | {id: .n}' "5 > 4"`, ['jq', '.[] | {id: .n}', '5 > 4']],
      [
        'cat *.ics [a]? {b,c} a#b a$ "cost: $ 5"',
        ['cat', '*.ics', '[a]?', '{b,c}', 'a#b', 'a$', 'cost: $ 5'],
      ],
      ['a \\\n b "c\\\nd"', ['a', 'b', 'cd']],
      ['', []],
    ];
    for (const [line, words] of lines) expect(splitCommand(line)).toEqual(words);
  });

  it('replaces a leading tilde by the home folder, unless it is quoted', () => {
    const home = homedir();
    expect(splitCommand(`~/bin/x ~ '~/y' \\~/z a~/b ~/'c d' ~other`)).toEqual([
      `${home}/bin/x`,
      home,
      '~/y',
      '~/z',
      'a~/b',
      `${home}/c d`,
      '~other',
    ]);
  });

  it('refuses the syntax of a shell, with a hint', () => {
    const parts: readonly (readonly [string, string])[] = [
      ['a | b', '|'],
      ['a && b', '&'],
      ['a; b', ';'],
      ['a < b', '<'],
      ['a 2> b', '>'],
      ['a `b`', '` (a backtick)'],
      ['a "`b`"', '` (a backtick)'],
      ['a (b', '('],
      ['a b)', ')'],
      ['a\nb', 'a line break'],
      ['a $HOME/b', '$HOME'],
      ['a "in $HOME"', '$HOME'],
      ['a $' + '{HOME}', '$' + '{'],
      ['a $(b)', '$('],
      ['a $1', '$1'],
      ["a $'b'", "$'"],
      ['a # b', '# (a comment)'],
      ['A=1 b', 'a variable before the program'],
    ];
    for (const [line, feature] of parts)
      expect(faultOf(line)).toMatchObject({
        code: 'invalid_config',
        message: `the command needs a shell for ${feature}`,
        hint: expect.stringMatching(/quotes.*`shell: true`/) as string,
      });
  });

  it('refuses an unclosed quote', () => {
    expect(faultOf(`say "hello there`).message).toBe('a quote is not closed in the command: "hello there');
    expect(faultOf(`it's`).message).toBe("a quote is not closed in the command: 's");
    expect(faultOf('a\\').message).toContain('backslash');
    expect(faultOf('a\0b').message).toContain('NUL');
  });

  it('splits any quoted words', () => {
    const word = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    const quoted = [
      (text: string) => `'${text.replaceAll("'", `'\\''`)}'`,
      (text: string) => `"${text.replaceAll(/[$`"\\]/g, '\\$&')}"`,
      (text: string) =>
        text === '' ? "''" : [...text].map((each) => (each === '\n' ? `'\n'` : `\\${each}`)).join(''),
    ];
    fc.assert(
      fc.property(fc.array(fc.tuple(word, fc.nat({ max: 2 }))), (words) => {
        const line = words.map(([text, style]) => quoted[style]!(text)).join(' ');
        expect(splitCommand(line)).toEqual(words.map(([text]) => text));
      }),
    );
  });

  it('splits like a shell, for any line that it accepts', () => {
    const piece = fc.constantFrom(
      'a',
      'B1',
      ' ',
      '"',
      "'",
      '\\',
      '$',
      '-',
      '=',
      '#',
      '~x',
      'é',
      '{',
      ',',
      '!',
      '\t',
      '/',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const line = `x ${pieces.join('')}`;
        let words: string[];
        try {
          words = splitCommand(line);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_config' });
          return;
        }
        const script = `set -f; set -- ${line}; for each; do printf '%s\\0' "$each"; done`;
        const output = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
        expect(output.split('\0').slice(0, -1)).toEqual(words);
      }),
      { numRuns: 150 },
    );
  });

  it('throws only errors that say what is wrong', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (line) => {
        try {
          expect(splitCommand(line).every((word) => typeof word === 'string')).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_config' });
        }
      }),
    );
  });
});

describe('the arguments of the process', () => {
  it('are the list, the words of the line, or a shell with the line', () => {
    expect(argvOf({ command: ['a b', '$c', '~/d'], shell: false })).toEqual(['a b', '$c', '~/d']);
    expect(argvOf({ command: 'a "b c"', shell: false })).toEqual(['a', 'b c']);
    expect(argvOf({ command: 'a | b $C', shell: true })).toEqual(['/bin/sh', '-c', 'a | b $C']);
  });

  it('cannot be empty, nor a list for a shell', () => {
    for (const settings of [
      { command: ['a', 'b'], shell: true },
      { command: [], shell: false },
      { command: '  ', shell: false },
      { command: `''`, shell: false },
      { command: ['a', 'b\0'], shell: false },
    ])
      expect(() => argvOf(settings)).toThrow(expect.objectContaining({ code: 'invalid_config' }) as Error);
  });
});
