/**
 * A value of EDN, the notation of Logseq's settings. Keywords (`:file/name-format`), numbers and symbols are their text, and lists
 * and sets are arrays.
 */
export type Edn = string | readonly Edn[] | ReadonlyMap<string, Edn>;

/** White space and commas, comments, texts, brackets, what is left out with `#_`, and everything else up to one of these. */
const TOKEN =
  /[\s,]+|;[^\n]*|(?<text>"(?:[^"\\]|\\[^])*")|(?<mark>#_|#?\{|[([)\]}])|(?<word>[^\s,;"()[\]{}]+)/y;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '#{': '}' };
/** Reader macros change what follows them: a tag (`#inst`), a quote, metadata. What follows is read without them. */
const MACRO = /^(?:#|['`~@^]+$)/;

interface Open {
  readonly opening: string;
  readonly items: Edn[];
  /** The values that follow and are left out. */
  discarded: number;
}

/**
 * The first value of a text. It takes time in proportion to the length, and no stack for nesting.
 * @throws SyntaxError if a bracket or a text is not closed, or closed without being open, and for a map with a key without a value
 *   or a key twice
 */
export function parseEdn(text: string): Edn | null {
  const outermost: Open = { opening: '', items: [], discarded: 0 };
  const open: Open[] = [outermost];
  const add = (value: Edn): void => {
    const inner = open.at(-1)!;
    if (inner.discarded > 0) inner.discarded--;
    else inner.items.push(value);
  };
  TOKEN.lastIndex = 0;
  for (let position = 0; position < text.length; position = TOKEN.lastIndex) {
    const match = TOKEN.exec(text);
    if (match === null) throw new SyntaxError('a text is not closed');
    const { text: quoted, mark, word } = match.groups as Partial<Record<'text' | 'mark' | 'word', string>>;
    if (quoted !== undefined) add(unescaped(quoted));
    else if (word !== undefined && !MACRO.test(word)) add(word);
    else if (mark === '#_') open.at(-1)!.discarded++;
    else if (mark !== undefined && Object.hasOwn(CLOSING, mark))
      open.push({ opening: mark, items: [], discarded: 0 });
    else if (mark !== undefined) {
      const { opening, items } = open.at(-1)!;
      if (CLOSING[opening] !== mark) throw new SyntaxError(`${mark} closes nothing`);
      open.pop();
      add(opening === '{' ? mapOf(items) : items);
    }
  }
  if (open.length > 1) throw new SyntaxError(`${open.at(-1)!.opening} is not closed`);
  return outermost.items[0] ?? null;
}

function mapOf(items: readonly Edn[]): ReadonlyMap<string, Edn> {
  if (items.length % 2 > 0) throw new SyntaxError('a key of a map has no value');
  const map = new Map<string, Edn>();
  for (let i = 0; i < items.length; i += 2) {
    const key = items[i]!;
    if (typeof key !== 'string') continue;
    if (map.has(key)) throw new SyntaxError(`${key} is given twice`);
    map.set(key, items[i + 1]!);
  }
  return map;
}

function unescaped(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(/\\([^])/g, (_, char: string) => ({ n: '\n', t: '\t', r: '\r' })[char] ?? char);
}
