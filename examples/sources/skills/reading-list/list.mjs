#!/usr/bin/env node
// Lists the books of books.txt for people, or with --json for Loci.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const HELP = `Usage: node list.mjs [--json]

Lists the books of the reading list.

  --json   print documents for Loci
  --help   print this text
`;
const MAX_BOOKS = 500;

const [option, ...others] = process.argv.slice(2);
if (others.length > 0 || ![undefined, '--json', '--help'].includes(option)) {
  process.stderr.write(HELP);
  process.exitCode = 2;
} else if (option === '--help') {
  process.stdout.write(HELP);
} else {
  try {
    const books = readBooks(new URL('books.txt', import.meta.url));
    const text = option === '--json' ? JSON.stringify(books.map(documentOf)) : books.map(lineOf).join('\n');
    process.stdout.write(`${text}\n`);
  } catch (error) {
    process.stderr.write(`reading-list: ${error.message}\n`);
    process.exitCode = 1;
  }
}

function readBooks(file) {
  return readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .slice(0, MAX_BOOKS)
    .map((line) => {
      const [title, from = '', about = '', due = ''] = line.split('|').map((part) => part.trim());
      return { title: title.replace(/^x\s+/, ''), from, about, due, read: /^x\s/.test(title) };
    });
}

function documentOf({ title, from, about, due, read }) {
  return {
    // The id does not change when the book is read or its date changes.
    id: createHash('sha256').update(`${title}\n${from}`).digest('hex').slice(0, 32),
    title,
    text: `${title}, lent by ${from || 'nobody'}${due === '' ? '' : `, to be back on ${due}`}. ${about}`.trim(),
    tags: ['reading'],
    ...(due === '' ? {} : { timestamp: due }),
    metadata: { from },
    completed: read,
  };
}

function lineOf({ title, from, due, read }) {
  return `${read ? '✓' : '·'} ${title} (${[from, due].filter(Boolean).join(', back ')})`;
}
