#!/usr/bin/env node
// Prints the tasks of Todo.txt files (github.com/todotxt/todo.txt) as documents for Loci.
import { createHash } from 'node:crypto';
import { dayText } from './day-text.mjs';
import { LIMITS, shortened, tagsEntry, urlEntry } from './fitting.mjs';
import { readEach, readText, runProgram } from './program.mjs';

const HELP = `Usage: node todo-txt.mjs FILE...

Prints the tasks of Todo.txt files, such as todo.txt and done.txt, as documents for Loci: one JSON object per line.

  --help   print this text
`;
const MAX_TASKS = 10_000;
const MAX_TEXT = 10_000;
/** Pairs `key:value` of a task that are added to its metadata. */
const MAX_EXTRA = 16;
/** Keys with a meaning in the format. Other words with a colon, such as `Note:tiles`, belong to the text. */
const KNOWN_KEYS = new Set(['due', 't', 'pri', 'rec', 'h', 'id', 'uuid']);

const OPEN = /^(?:\(([A-Z])\)\s+)?(?:(\d{4}-\d\d-\d\d)\s+)?(.*)$/s;
const DONE = /^x\s+(?:\(([A-Z])\)\s+)?(?:(\d{4}-\d\d-\d\d)\s+)?(?:(\d{4}-\d\d-\d\d)\s+)?(.*)$/s;

await runProgram({
  help: HELP,
  least: 1,
  documents: ({ positionals, warn }) => {
    const files = positionals.map((path) => ({ path }));
    const lines = readEach(files, ({ path }) => readText(path).split(/\r\n|\r|\n/), warn).flat();
    const tasks = lines.filter((line) => line.trim() !== '');
    if (tasks.length > MAX_TASKS) warn(`only the first ${MAX_TASKS} of ${tasks.length} tasks`);
    const occurrences = new Map();
    return tasks.slice(0, MAX_TASKS).map((line) => {
      const task = parseTask(line);
      const hash = createHash('sha256').update(task.written).digest('hex').slice(0, 32);
      const occurrence = (occurrences.get(hash) ?? 0) + 1;
      occurrences.set(hash, occurrence);
      return documentOf(task, occurrence === 1 ? hash : `${hash}#${occurrence}`);
    });
  },
});

/** Parses a line of the format: `x (A) 2026-11-20 2026-11-18 text +project @context key:value`. */
function parseTask(line) {
  const done = DONE.exec(line.trim());
  const [priority, completedOn, createdOn, text] = done?.slice(1) ?? openParts(line.trim());
  const words = shortened(text, MAX_TEXT).split(/\s+/);
  const pairs = words.map((word) => ({ word, pair: keyAndValue(word) }));
  const extra = new Map(pairs.flatMap(({ pair }) => (pair === null ? [] : [pair])));
  const plain = pairs.filter(({ pair }) => !KNOWN_KEYS.has(pair?.[0])).map(({ word }) => word);
  return {
    completed: done !== null,
    priority: priority ?? extra.get('pri'),
    completedOn: dateOf(completedOn),
    createdOn: dateOf(createdOn),
    extra,
    words: plain,
    // These words stay the same when a task is completed, moved, postponed or given another priority.
    written: plain.join(' '),
  };
}

function openParts(line) {
  const [, priority, createdOn, text] = OPEN.exec(line);
  return [priority, undefined, createdOn, text];
}

/** Parses `due:2026-11-25`. A URL such as https://… is a word. */
function keyAndValue(word) {
  const [, key, value] = /^([\p{L}][\p{L}\p{N}_-]{0,31}):([^:\s/][^\s]{0,199})$/u.exec(word) ?? [];
  return key === undefined || /^mailto$/i.test(key) ? null : [key.toLowerCase(), value];
}

function dateOf(text) {
  return text !== undefined && !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) ? text : undefined;
}

function documentOf({ completed, priority, completedOn, createdOn, extra, words, written }, id) {
  const named = (sign) =>
    words.filter((word) => /^[+@]\S/.test(word) && word.startsWith(sign)).map(withoutSign);
  const [projects, contexts] = [named('+'), named('@')];
  const due = dateOf(extra.get('due'));
  const timestamp = (completed ? completedOn : undefined) ?? due ?? createdOn;
  const parts = [
    sentenceOf(words) || written || 'Untitled',
    priority === undefined ? null : `priority ${priority}`,
    due === undefined ? null : `due ${dayText(Date.parse(`${due}T00:00:00Z`), 'UTC')}`,
  ];
  const url = words.find((word) => /^https?:\/\/\S/i.test(word));
  const metadata = {
    ...Object.fromEntries([...extra].filter(([key]) => key !== 'pri').slice(0, MAX_EXTRA)),
    priority,
    created: createdOn,
    done: completedOn,
  };
  return {
    id,
    text: parts.filter((part) => part !== null).join(' · '),
    ...tagsEntry([...projects, ...contexts]),
    ...(timestamp === undefined ? {} : { timestamp }),
    metadata,
    completed,
    ...(projects.length === 0 ? {} : { project: shortened(projects[0], LIMITS.project) }),
    ...urlEntry(url),
  };
}

/** The words without the tags at the end, as in `Buy tiles +kitchen @errands`. Tags within the sentence are words of it. */
function sentenceOf(words) {
  const last = words.findLastIndex((word) => !/^[+@]\S/.test(word));
  return words
    .slice(0, last + 1)
    .map((word) => (/^[+@]\S/.test(word) ? withoutSign(word) : word))
    .join(' ');
}

function withoutSign(word) {
  return word.slice(1);
}
