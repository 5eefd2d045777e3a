import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { expandHome } from '../../config/paths.ts';
import { codeAmong, scriptsAt } from './code-files.ts';
import { firstRole, inlineRole, isInterpreter, loadsOperand, takesOperand } from './interpreters.ts';
import { readShellLine, type ShellWord } from './shell-line.ts';
import { findProgram, isFile, stateOf, type StartedFile } from './started-file.ts';

/** Where a command runs, and what it sees. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const UNWATCHED = 'something that cannot be watched: ';
/** What may name files within an argument that is a program text or a line of its own. */
const WORDS = /[^\s|&;<>()'"`$=]+/g;
/** `--require=./x.js`, `-r./x.js` */
const JOINED = /^(--[\w-]+)=(.+)$|^(-\w)=?([^-].*)$/s;
const GOING = /^(?:cd|pushd)$/;
const TO_FOLDER = /^(?:-C|--chdir|--directory|--prefix|--cwd)$/;
const DEFAULTS: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  npm: ['package.json'],
  pnpm: ['package.json'],
  yarn: ['package.json'],
  bun: ['package.json'],
};
const HOME: ShellWord = { text: homedir(), written: '' };
const MOST_COMMANDS = 300;
const MOST_WORDS = 2000;
const MOST_FOLDERS = 20;
const DEEPEST = 8;

/**
 * The program itself, what its arguments and lines for a shell start, and what of that cannot be told. What a script starts
 * or loads by itself is not looked for.
 */
export async function startedFiles(
  program: string,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<StartedFile[]> {
  const started = new Started(surroundings);
  started.paths.add(program);
  await started.follow(
    basename(program),
    args.map((text) => ({ text, written: text })),
  );
  return started.files();
}

/** What is in `files` that cannot be watched, in the words of the line. */
export function unwatchedOf(files: readonly StartedFile[]): string[] {
  return files.filter(({ state }) => state === '').map(({ path }) => path.slice(UNWATCHED.length));
}

class Started {
  readonly paths = new Set<string>();
  /** What a line finds in PATH: what of that belongs to the system is not worth a word. */
  readonly #programs = new Set<string>();
  readonly #unwatched = new Set<string>();
  readonly #folders: string[];
  #variables: ReadonlyMap<string, string | null>;
  #depth = 0;
  #looked = 0;
  /** As PATH has it. */
  readonly #searched: Set<string>;

  constructor({ cwd, env }: Surroundings) {
    this.#folders = [cwd];
    this.#variables = new Map(Object.entries(env).map(([name, value]) => [name, value ?? null]));
    this.#searched = new Set([env['PATH'] ?? '']);
  }

  async files(): Promise<StartedFile[]> {
    const stated = await Promise.all(
      [...new Set([...this.paths, ...this.#programs])].toSorted().map(async (path) => ({
        path,
        state: await stateOf(path),
      })),
    );
    const own = stated.filter(({ path, state }) => this.paths.has(path) || !state.startsWith('system'));
    const unwatched = [...this.#unwatched].toSorted();
    return [...own, ...unwatched.map((words) => ({ path: UNWATCHED + words, state: '' }))];
  }

  /** What a program is given: the script that it runs, what is to be loaded before, another program, a line for a shell. */
  async follow(name: string, words: readonly ShellWord[]): Promise<void> {
    await this.#walk(name, words);
    for (const folder of this.#folders)
      for (const usual of DEFAULTS[name] ?? []) {
        const place = resolve(folder, usual);
        if (await isFile(place)) this.paths.add(place);
      }
  }

  async #walk(name: string, words: readonly ShellWord[]): Promise<void> {
    let role = firstRole(name);
    /** Whose operand the next word may be. */
    let option: string | null = null;
    for (const [at, word] of words.entries()) {
      const { text } = word;
      if (text !== null) await this.#loose(text);
      if (text !== null && role !== 'data' && /^[-+]./.test(text)) {
        role = inlineRole(name, text) ?? role;
        option = takesOperand(name, text) && !(await this.#joined(text)) ? text : null;
        continue;
      }
      const before = option;
      option = null;
      if (before !== null && TO_FOLDER.test(before)) this.#enter(word);
      if (role === 'line') {
        await this.#line(word);
        role = 'data';
      } else if (before !== null && loadsOperand(before)) await this.#script(word);
      else if (role === 'script') {
        const isModule = before === '-m' && text !== null;
        const found = await this.#script(isModule ? { ...word, text: text.replaceAll('.', '/') } : word);
        if (isModule || (found && before === null)) role = 'data';
        else if (!found && text !== null && isInterpreter(basename(text)))
          return this.#start(word, words.slice(at + 1));
      } else if (role === 'program' || (text !== null && isInterpreter(basename(text)))) {
        if (await this.#isProgram(word)) return this.#start(word, words.slice(at + 1));
      }
    }
  }

  /** Whether the operand stands within the option itself: then it is looked at. */
  async #joined(option: string): Promise<boolean> {
    const [, long, ofLong = '', short, ofShort = ''] = JOINED.exec(option) ?? [];
    const name = long ?? short;
    const operand = long === undefined ? ofShort : ofLong;
    if (name === undefined) return false;
    const word = { text: operand, written: operand };
    if (loadsOperand(name)) await this.#script(word);
    if (TO_FOLDER.test(name)) this.#enter(word);
    if (/^(?:-S|--split-string)$/.test(name)) await this.#line(word);
    return true;
  }

  async #line({ text, written }: ShellWord): Promise<void> {
    if (text === null || this.#depth >= DEEPEST) {
      this.#cannotWatch(written);
      return;
    }
    const outer = this.#variables;
    const { commands, variables } = readShellLine(text, outer);
    const path = variables.get('PATH') ?? null;
    if (path !== null) this.#searched.add(path);
    else if (variables.has('PATH')) this.#cannotWatch('PATH=…');
    this.#variables = variables;
    this.#depth++;
    const taken = commands.slice(0, MOST_COMMANDS);
    if (taken.length < commands.length) this.#cannotWatch('…');
    // Where a loop or a function has gone by then nobody knows: files are looked for in each of the folders.
    for (const [first, ...words] of taken) {
      if (first !== undefined && GOING.test(first.text ?? '')) this.#enter(words.at(-1) ?? HOME);
    }
    for (const [first, ...words] of taken) if (first !== undefined) await this.#command(first, words);
    this.#depth--;
    this.#variables = outer;
  }

  async #command(first: ShellWord, words: readonly ShellWord[]): Promise<void> {
    const { text } = first;
    if (text === 'eval') {
      const isKnown = words.every((word) => word.text !== null);
      await this.#line({
        text: isKnown ? words.map((word) => word.text).join(' ') : null,
        written: ['eval', ...words.map(({ written }) => written)].join(' '),
      });
    } else if (text === 'trap' && words[0] !== undefined) await this.#line(words[0]);
    else if (await this.#isProgram(first)) await this.#start(first, words);
    else if (text !== null) await this.follow(text, words);
    const isPipedInto =
      firstRole(text ?? '') === 'script' && words.every((word) => /^-s?$/.test(word.written));
    if (isPipedInto) this.#cannotWatch(`… | ${text ?? ''}`);
    for (const word of words) if (text === null && word.text !== null) await this.#loose(word.text);
  }

  async #start({ text }: ShellWord, words: readonly ShellWord[]): Promise<void> {
    if (this.#depth >= DEEPEST) {
      this.#cannotWatch(text ?? '');
      return;
    }
    this.#depth++;
    await this.follow(basename(text ?? ''), words);
    this.#depth--;
  }

  /** A program by its path, or in PATH, or one that is known for what it runs wherever it is. */
  async #isProgram({ text, written }: ShellWord): Promise<boolean> {
    if (text === null) {
      this.#cannotWatch(written);
      return false;
    }
    const isPath = text.includes('/');
    const places = await Promise.all(
      this.#folders.flatMap((folder) =>
        (isPath ? [''] : [...this.#searched]).map((path) => findProgram(text, folder, path)),
      ),
    );
    const found = places.filter((place) => place !== null);
    for (const place of found) (isPath ? this.paths : this.#programs).add(place);
    return found.length > 0 || isInterpreter(basename(text));
  }

  /** Whether there is such a script; one that cannot be told counts, and is noted. */
  async #script({ text, written }: ShellWord): Promise<boolean> {
    if (text === null) {
      this.#cannotWatch(written);
      return true;
    }
    const found = (await Promise.all(this.#folders.map((folder) => scriptsAt(resolve(folder, text))))).flat();
    for (const path of found) this.paths.add(path);
    return found.length > 0;
  }

  /** Code among what may be data: each word of an argument may be a name, and options hold names. */
  async #loose(argument: string): Promise<void> {
    const words = [argument, ...(argument.match(WORDS) ?? [])].flatMap((word) => {
      const [, , ofLong, , ofShort] = JOINED.exec(word) ?? [];
      const operand = ofLong ?? ofShort;
      return operand === undefined ? [word] : [word, operand];
    });
    this.#looked += words.length;
    if (this.#looked > MOST_WORDS) {
      this.#cannotWatch('…');
      return;
    }
    for (const folder of this.#folders)
      for (const word of words)
        for (const path of await codeAmong(resolve(folder, expandHome(word)))) this.paths.add(path);
  }

  #enter({ text, written }: ShellWord): void {
    if (text === null) {
      this.#cannotWatch(`cd ${written}`);
      return;
    }
    if (text === '-') return;
    const further = this.#folders.map((folder) => resolve(folder, text));
    for (const folder of further) {
      if (this.#folders.includes(folder)) continue;
      if (this.#folders.length >= MOST_FOLDERS) {
        this.#cannotWatch(`cd ${written}`);
        return;
      }
      this.#folders.push(folder);
    }
  }

  #cannotWatch(what: string): void {
    this.#unwatched.add(what);
  }
}
