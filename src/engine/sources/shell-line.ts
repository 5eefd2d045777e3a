/** A word of a line for a shell. */
export interface ShellWord {
  /** What the command is given; `null` for what only the shell will know: `$(…)`, `*.sh`, an unknown variable. */
  readonly text: string | null;
  /** As it stands in the line, without what stands within brackets: that may hold secrets. */
  readonly written: string;
}

export interface ShellLine {
  /** Of each command its words, then the files that it reads with `<`; those within `$(…)` and `(…)` too. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** `null` of a variable that may have one value or another. */
  readonly variables: ReadonlyMap<string, string | null>;
}

const ENDS_WORD = ' \t\n\r|&;<>()';
/** Behind these a command begins. */
const OPENING = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{', 'time']);
const ASSIGNING = new Set(['export', 'readonly', 'local', 'declare', 'typeset']);
const ASSIGNMENT = /^([A-Za-z_]\w*)=/s;
const DEEPEST = 30;
const LONGEST_WRITTEN = 60;

/** Splits a line as a shell would, with the variables that it sees; what cannot be told from the line alone is `null`. */
export function readShellLine(line: string, variables: ReadonlyMap<string, string | null>): ShellLine {
  const reader = new LineReader(line, new Map(variables), 0);
  reader.commandsUntil('');
  return reader;
}

class LineReader implements ShellLine {
  readonly commands: ShellWord[][] = [];
  readonly variables: Map<string, string | null>;
  readonly #line: string;
  #depth: number;
  #at = 0;

  constructor(line: string, variables: Map<string, string | null>, depth: number) {
    this.#line = line;
    this.variables = variables;
    this.#depth = depth;
  }

  /** What stands within brackets or quotes of others; of what is too deep it is known that it is not known. */
  #within(read: () => void): void {
    if (this.#depth >= DEEPEST) {
      this.commands.push([{ text: null, written: '(((…)))' }]);
      this.#at = this.#line.length;
      return;
    }
    this.#depth++;
    read();
    this.#depth--;
  }

  commandsUntil(end: ')' | ''): void {
    let words: ShellWord[] = [];
    let inputs: ShellWord[] = [];
    const close = (): void => {
      this.#take([...words, ...inputs]);
      [words, inputs] = [[], []];
    };
    while (this.#at < this.#line.length) {
      const char = this.#line[this.#at] ?? '';
      if (' \t'.includes(char)) this.#at++;
      else if (this.#line.startsWith('\\\n', this.#at)) this.#at += 2;
      else if (char === '#') this.#past(/[^\n]*/y);
      else if ('<>'.includes(char)) {
        const target = this.#redirected();
        if (char === '<') inputs.push(...target);
      } else if (char === ')') {
        this.#at++;
        if (end === ')') {
          close();
          return;
        }
        // A pattern of `case`.
        [words, inputs] = [[], []];
      } else if (ENDS_WORD.includes(char)) {
        close();
        this.#at++;
        if (char === '(') this.#within(() => this.commandsUntil(')'));
      } else words.push(...this.#words());
    }
    close();
  }

  #past(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#line) ?? [];
    this.#at += found.length;
    return found;
  }

  #redirected(): ShellWord[] {
    this.#past(/[<>&|-]+[ \t]*/y);
    return ENDS_WORD.includes(this.#line[this.#at] ?? ' ') ? [] : this.#words();
  }

  /** One word, or several where a variable without quotes holds blanks. */
  #words(): ShellWord[] {
    const start = this.#at;
    const texts: (string | null)[] = [];
    let text: string | null = this.#home();
    let isPattern = false;
    while (this.#at < this.#line.length && !ENDS_WORD.includes(this.#line[this.#at] ?? '')) {
      const isExpansion = this.#line[this.#at] === '$';
      isPattern ||= /^(?:[*?]|\[[^\]\s]+\]|\{[^}\s])/.test(this.#line.slice(this.#at, this.#at + 200));
      const piece = this.#piece();
      const [first = '', ...more] = isExpansion && piece !== null ? piece.split(/\s+/) : [piece];
      text = text === null || first === null ? null : text + first;
      for (const part of more) {
        texts.push(text);
        text = part;
      }
    }
    const written = this.#line.slice(start, this.#at);
    // `2>`
    if (/^\d+$/.test(written) && /[<>]/.test(this.#line[this.#at] ?? '')) return [];
    return [...texts, text].map((each) => ({ text: isPattern ? null : each, written: shortened(written) }));
  }

  #home(): string | null {
    return this.#past(/~(?=[/\s;|&)<>]|$)/y) === '' ? '' : (this.variables.get('HOME') ?? null);
  }

  /** What the next character or quote or expansion stands for. */
  #piece(): string | null {
    const char = this.#line[this.#at] ?? '';
    if (char === "'") return this.#past(/'[^']*'?/y).replaceAll("'", '');
    if (char === '"') return this.#quoted();
    if (char === '`') return this.#backticks();
    if (char === '$') return this.#expansion();
    if (char === '\\') return this.#past(/\\[^]?/y).replace(/^\\\n?/, '');
    this.#at++;
    return char;
  }

  #quoted(): string | null {
    let text: string | null = '';
    this.#at++;
    while (this.#at < this.#line.length && this.#line[this.#at] !== '"') {
      const char = this.#line[this.#at] ?? '';
      const plain = this.#past(/\\[$`"\\\n]|\\/y);
      const piece =
        plain !== '' ? plain.replace(/^\\(?=[^])\n?/, '') : '$`'.includes(char) ? this.#piece() : char;
      if (plain === '' && !'$`'.includes(char)) this.#at++;
      text = text === null || piece === null ? null : text + piece;
    }
    this.#at++;
    return text;
  }

  #backticks(): null {
    const inner = this.#past(/`(?:\\[^]|[^`\\])*`?/y).replace(/^`|`$/g, '');
    this.#within(() => {
      const reader = new LineReader(inner.replaceAll('\\`', '`'), this.variables, this.#depth);
      reader.commandsUntil('');
      this.commands.push(...reader.commands);
    });
    return null;
  }

  #expansion(): string | null {
    const name = /^\$(?:\{(\w+)\}|(\w+))/.exec(this.#past(/\$(?:\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)/y));
    if (name !== null) return this.#valueOf(name[1] ?? name[2] ?? '');
    if (this.#past(/\$\(\([^]*?\)\)/y) !== '') return null;
    if (this.#past(/\$\(/y) !== '') {
      this.#within(() => this.commandsUntil(')'));
      return null;
    }
    if (this.#past(/\$\{/y) !== '') {
      this.#within(() => {
        while (this.#at < this.#line.length && this.#line[this.#at] !== '}') this.#piece();
      });
      this.#at++;
      return null;
    }
    // Of `$'…'` and `$"…"` the quote is read next.
    if (this.#past(/\$(?:[\d@*#?$!-]|(?=['"]))/y) !== '') return null;
    this.#at++;
    return '$';
  }

  #valueOf(name: string): string | null {
    // Wherever the line has gone by then.
    return name === 'PWD' ? '.' : (this.variables.get(name) ?? null);
  }

  #take(words: readonly ShellWord[]): void {
    let at = 0;
    while (OPENING.has(words[at]?.written ?? '') || this.#assigns(words[at])) at++;
    const [first, ...others] = words.slice(at);
    if (first === undefined) return;
    const isNaming = ['for', 'select', 'read', 'unset'].includes(first.written);
    if (isNaming) for (const { written } of others) this.variables.set(written, null);
    else if (ASSIGNING.has(first.written)) for (const word of others) this.#assigns(word);
    else if (first.written !== 'case') this.commands.push([first, ...others]);
  }

  #assigns(word: ShellWord | undefined): boolean {
    const name = ASSIGNMENT.exec(word?.written ?? '')?.[1];
    if (word === undefined || name === undefined) return false;
    const value = word.text?.slice(name.length + 1) ?? null;
    const before = this.variables.get(name);
    // Of two values nobody knows which it is by then; that of PATH is mostly made of the one before.
    const isEither = before !== undefined && before !== value && name !== 'PATH';
    this.variables.set(name, isEither ? null : value);
    return true;
  }
}

function shortened(written: string): string {
  const open = written
    .replace(/\$\([^]*/, '$(…)')
    .replace(/`[^]*/, '`…`')
    .replace(/\$\{\w+[^\w}][^]*/, `$\{…}`)
    .replace(/\p{Cc}/gu, ' ');
  return open.length > LONGEST_WRITTEN ? `${open.slice(0, LONGEST_WRITTEN)}…` : open;
}
