/** Texts on which a loop that looks at all of the text for each of its parts takes quadratic time. */

/** A piece, again and again, with its number. */
type Piece = string | ((i: number) => string);

function repeated(piece: Piece, before = '', after = ''): (length: number, first?: number) => string {
  return (length, first = 0) => {
    const parts: string[] = [];
    for (let i = first, size = 0; size < length; i++) {
      const part = typeof piece === 'string' ? piece : piece(i);
      parts.push(part);
      size += part.length;
    }
    return before + parts.join('').slice(0, length) + after;
  };
}

const MIXED = [
  ...['# H', '- a', '> q', '| a | b |', '`c`', '**b**', '[[l]]', '#t', 'Berlin', '"q"', '2026-11-25'],
  ...['http://x.y', '<b>', '\n', '\n\n', ' '],
];

/** Makes a text of about so many characters, by the name of its kind. Its pieces are numbered from `first`, default 0. */
export const TEXT_KINDS: Readonly<Record<string, (length: number, first?: number) => string>> = {
  'words in one line': repeated((i) => `the oven ${String(i % 997)} in Berlin is warm and `),
  'sentences in one line': repeated((i) => `The oven ${String(i % 997)} is in New York. `),
  'one word': repeated('a'),
  'one word of both cases': repeated('aB'),
  'one number': repeated('7'),
  'one word of Japanese': repeated('温かい竈'),
  'combining marks': repeated('a\u0301'),
  'opening brackets': repeated('['),
  'closing brackets': repeated(']'),
  'unclosed wikilinks': repeated('[[a '),
  'unclosed links': repeated('[a]('),
  'nested brackets': (length) => '['.repeat(length / 2) + ']'.repeat(length / 2),
  parentheses: repeated('('),
  'unclosed quotes': repeated('“a '),
  'straight quotes': repeated('"a b '),
  'single quotes': repeated("'a "),
  wikilinks: repeated((i) => `[[Note ${String(i)}|alias]] `),
  'lines of wikilinks': repeated((i) => `[[Note ${String(i)}|alias]]\n`),
  'links to files': repeated((i) => `[text](note${String(i)}.md) `),
  embeds: repeated((i) => `![[Note ${String(i)}#Part]]\n`),
  'link definitions': repeated((i) => `[a${String(i)}]: http://x.y/${String(i)}\n`),
  headings: repeated((i) => `# Heading ${String(i)}\n\n`),
  'headings of all levels': repeated((i) => `${'#'.repeat(1 + (i % 6))} Heading ${String(i)}\n\ntext\n\n`),
  'underlined headings': repeated((i) => `Heading ${String(i)}\n====\n\n`),
  'hash signs': repeated('#'),
  'table rows': repeated((i) => `| cell ${String(i)} | x |\n`, '| a | b |\n|---|---|\n'),
  'a wide table': (length) => `${repeated('|a')(length / 2)}\n${repeated('|-')(length / 2)}\n`,
  'lines with a pipe': repeated('a|b\n'),
  pipes: repeated('|'),
  'list items': repeated((i) => `- item ${String(i)}\n`),
  'nested lists': repeated((i) => `${' '.repeat(2 * (i % 40))}- item ${String(i)}\n`),
  'lines that end with a colon': repeated('a:\n\n'),
  'list marks in one line': repeated('- '),
  tasks: repeated((i) => `- [ ] task ${String(i)} 📅 2026-12-01\n`),
  'quote marks in one line': repeated('> '),
  'lines of quotes': repeated((i) => `${'>'.repeat(1 + (i % 60))} a\n`),
  'emphasis marks': repeated('*a **b _c ~~d '),
  stars: repeated('*'),
  'backtick runs': repeated((i) => `${'`'.repeat(1 + (i % 300))}a`),
  'code spans': repeated('`a` '),
  fences: repeated((i) => `\`\`\`js\ncode ${String(i)}\n\`\`\`\n`),
  'fence marks': repeated('```\n'),
  'an unclosed fence': repeated((i) => `code ${String(i)}\n`, '```\n'),
  'comment marks': repeated('%% '),
  'lines of comment marks': repeated((i) => `%% hidden ${String(i)}\n`),
  'openings of comments': repeated('<!-- '),
  'lines of openings of comments': repeated('<!-- a\n'),
  'lines of comments': repeated('<!-- a --> b\n'),
  'HTML tags': repeated('<div>'),
  'lines of HTML': repeated((i) => `<div a="${String(i)}">\n`),
  'unclosed tags': repeated('<a '),
  tags: repeated((i) => `#tag${String(i)} `),
  'one tag': repeated('a/', '#'),
  days: repeated((i) => `2026-11-${String(10 + (i % 20))} `),
  addresses: repeated((i) => `https://example.org/a/${String(i)}?q=1 `),
  'one address': repeated('a/', 'https://example.org/'),
  schemes: repeated('https://'),
  'users of addresses': repeated('http://a:b'),
  capitals: repeated('A'),
  'capitalised words': repeated((i) => `Berlin${String(i % 4001)} New York City `),
  'capitalised lines': repeated((i) => `Berlin${String(i)} Tower\n`),
  'hyphenated words': repeated('a-'),
  dashes: repeated('-'),
  'full stops': repeated('.'),
  'ends of sentences': repeated('a."'),
  spaces: repeated(' ', '', 'a'),
  'line breaks': repeated('\n', 'a', 'a'),
  'CRLF lines': repeated('a\r\n'),
  backslashes: repeated('\\'),
  entities: repeated('&#'),
  properties: repeated((i) => `key${String(i)}:: value\n`),
  'front matter': repeated((i) => `key${String(i)}: value\n`, '---\n', '---\n'),
  passwords: repeated((i) => `password=hunter${String(i)}x `),
  'names of passwords': repeated('my password '),
  'beginnings of keys': repeated('-----BEGIN PRIVATE KEY-----\n'),
  'beginnings of tokens': repeated('eyJhbGciOiJIUzI1NiJ9.'),
  base64: repeated('QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo'),
  'invisible characters': repeated('a\u200b'),
  emoji: repeated('🍕'),
  footnotes: repeated((i) => `a[^${String(i)}] `),
  callouts: repeated((i) => `> [!note] ${String(i)}\n> text\n\n`),
  announcements: repeated((i) => `The list ${String(i)}:\n\n- a\n- b\n\n`),
  'ids of blocks': repeated((i) => `a ^b${String(i)}\n\n`),
  statements: repeated((i) => `Supersedes [[Note ${String(i)}]]. `),
  'openings of JSON': repeated('{"a":['),
  'everything mixed': repeated((i) => MIXED[(i * 7919) % MIXED.length]!),
};
