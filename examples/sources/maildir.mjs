#!/usr/bin/env node
// Prints the subjects, senders and dates of recent messages in Maildir folders as documents for Loci.
import { existsSync, opendirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { dayText } from './day-text.mjs';
import { LIMITS, shortened } from './fitting.mjs';
import { decodeText, parseHeaders, parseSender } from './maildir/headers.mjs';
import { currentTime, readEach, readHead, reasonOf, runProgram, wholeNumber } from './program.mjs';

const HELP = `Usage: node maildir.mjs FOLDER... [--days N]

Prints the subject, sender and date of each message in Maildir folders as documents for Loci, one JSON object per line.
Bodies of messages are not used. Drafts and messages in the trash are left out.

  --days N     messages of the last N days (7)
  --now TIME   use this as the current time
  --help       print this text
`;
const DAY_MS = 86_400_000;
/** A header beyond these bytes is not read. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Characters of a From header, before it is decoded. */
const MAX_FROM = 4000;
const MAX_NAMES = 100_000;
/** The newest messages are read first. */
const MAX_MESSAGES = 2000;

await runProgram({
  help: HELP,
  least: 1,
  options: { days: { type: 'string', default: '7' }, now: { type: 'string' } },
  documents: ({ values, positionals, warn }) => {
    const now = currentTime(values);
    const since = now - wholeNumber(values, 'days', 366) * DAY_MS;
    const files = readEach(
      positionals.map((path) => ({ path })),
      // The clock of the server may differ: the Date header of an older file can be within the range.
      ({ path }) => messagesIn(path, since - DAY_MS, warn),
      warn,
    ).flat();
    files.sort((one, other) => other.delivered - one.delivered);
    if (files.length > MAX_MESSAGES) warn(`only the newest ${MAX_MESSAGES} of ${files.length} messages`);
    const documents = new Map();
    for (const file of files.slice(0, MAX_MESSAGES)) {
      try {
        const { id, time, document } = messageOf(file);
        // Copies of a message in other folders are printed once.
        if (time >= since && !documents.has(id)) documents.set(id, document);
      } catch (error) {
        // A mail program may have moved the file meanwhile.
        warn(`${file.path}: ${reasonOf(error)}`);
      }
    }
    return [...documents.values()];
  },
});

/** The messages of a folder that were delivered after `since`. */
function messagesIn(folder, since, warn) {
  const parts = ['new', 'cur'].map((part) => join(folder, part));
  if (!parts.every((part) => existsSync(part))) throw new Error('not a Maildir: it has no new/ and cur/');
  return parts
    .flatMap((part) => namesIn(part, warn).map((name) => messageFile(part, name)))
    .filter((message) => message !== null && message.delivered >= since)
    .map((message) => ({ ...message, folder: basename(resolve(folder)) }));
}

function namesIn(path, warn) {
  const names = [];
  const directory = opendirSync(path);
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      if (entry.name.startsWith('.') || entry.isDirectory()) continue;
      if (names.length === MAX_NAMES) {
        warn(`${path}: only ${MAX_NAMES} of its files`);
        break;
      }
      names.push(entry.name);
    }
  } finally {
    directory.closeSync();
  }
  return names;
}

/** The name of a file begins with the time of delivery in seconds and ends with flags: `1795210205.M1P2.host:2,FS`. */
function messageFile(folder, name) {
  const [, base, flags = ''] = /^(.*?)(?:[:;!]2,([A-Za-z]*))?$/s.exec(name);
  if (/[DT]/.test(flags)) return null;
  const path = join(folder, name);
  const seconds = /^\d{9,10}(?=\.)/.exec(name)?.[0];
  return { path, base, flags, delivered: seconds === undefined ? modifiedAt(path) : Number(seconds) * 1000 };
}

function modifiedAt(path) {
  // A file that no longer exists counts as old.
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function messageOf({ path, base, flags, folder, delivered }) {
  const headers = parseHeaders(readHead(path, MAX_HEADER_BYTES));
  if (headers.size === 0) throw new Error('not a message');
  const { name, address } = senderOf(headers.get('from') ?? '');
  const subject = shortened(decodeText(headers.get('subject') ?? ''), LIMITS.title) || 'No subject';
  const time = timeOf(headers.get('date') ?? '', delivered);
  const named = /<([^<>\s\p{Cc}]{1,500})>/u.exec(headers.get('message-id') ?? '')?.[1];
  const id = named ?? `file:${base.replace(/\p{Cc}/gu, '')}`.slice(0, 512);
  const document = {
    id,
    title: subject,
    text: `${subject} · from ${name || address || 'nobody'} · ${dayText(time)}`,
    timestamp: new Date(time).toISOString(),
    metadata: {
      sender: address,
      name,
      folder,
      seen: flags.includes('S'),
      answered: flags.includes('R'),
      flagged: flags.includes('F'),
    },
  };
  return { id, time, document };
}

function senderOf(from) {
  const { name, address } = parseSender(shortened(from, MAX_FROM));
  return { name: shortened(name, LIMITS.entry), address: shortened(address, LIMITS.entry) };
}

function timeOf(date, delivered) {
  const sent = /\d\s+[A-Za-z]{3}\s+\d{2,4}\s+\d/.test(date) ? Date.parse(date) : Number.NaN;
  // A message dated in the future would rank first for a long time.
  return Number.isNaN(sent) || sent > delivered + DAY_MS ? delivered : sent;
}
