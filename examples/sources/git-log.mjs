#!/usr/bin/env node
// Prints the last commits of a git repository as documents for Loci.
import { spawnSync } from 'node:child_process';
import { basename, resolve } from 'node:path';
import { dayText } from './day-text.mjs';
import { LIMITS, shortened } from './fitting.mjs';
import { runProgram, wholeNumber } from './program.mjs';

const HELP = `Usage: node git-log.mjs [REPOSITORY] [--limit N]

Prints the last commits of a git repository as documents for Loci, one JSON object per line. The default is the
repository of the current folder. Merges are left out.

  --limit N   the number of commits (100)
  --help      print this text
`;
const MAX_BODY = 2000;
/** git cannot write JSON. The message comes last, so that a separator in it cannot begin another field. */
const FORMAT = ['%H', '%aI', '%an', '%B'].join('%x1f');
/** With these variables git does not prompt, does not wait for locks and fetches nothing. */
const ENVIRONMENT = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
};

await runProgram({
  help: HELP,
  most: 1,
  options: { limit: { type: 'string', default: '100' } },
  documents: ({ values, positionals }) => {
    const limit = wholeNumber(values, 'limit', 2000);
    const repository = resolve(positionals[0] ?? '.');
    const head = git(repository, ['rev-parse', '--verify', '--quiet', 'HEAD']);
    // The repository has no commits.
    if (head.status === 1) return [];
    if (head.status !== 0) throw new Error(`${repository}: ${failureOf(head)}`);
    const log = git(repository, [
      ...['log', '-z', `--max-count=${limit}`, '--no-merges', '--no-show-signature', '--encoding=UTF-8'],
      `--format=${FORMAT}`,
    ]);
    if (log.status !== 0) throw new Error(`${repository}: ${failureOf(log)}`);
    const entries = log.stdout.split('\0').filter((entry) => entry !== '');
    const top = git(repository, ['rev-parse', '--show-toplevel']);
    // A bare repository has no working tree.
    const name = basename(top.status === 0 ? top.stdout.trimEnd() : repository, '.git');
    return entries.map((entry) => documentOf(entry, name));
  },
});

function git(repository, args) {
  return spawnSync('git', ['--no-pager', '-C', repository, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...ENVIRONMENT },
    maxBuffer: 64 * 1024 * 1024,
    timeout: 20_000,
  });
}

function failureOf({ error, stderr, signal }) {
  if (error?.code === 'ENOENT') return 'git is not installed';
  if (error !== undefined || signal !== null) return `git failed: ${error?.message ?? signal}`;
  return stderr
    .trim()
    .split('\n')[0]
    .replace(/^fatal: /, '');
}

function documentOf(entry, repository) {
  const [id, timestamp, name, ...rest] = entry.split('\u{1f}');
  const author = shortened(name, LIMITS.entry);
  const [first = '', ...lines] = rest.join(' ').trim().split('\n');
  const subject = shortened(first, LIMITS.title).trim() || 'No message';
  const body = shortened(lines.join('\n').trim(), MAX_BODY);
  const head = `${subject} · ${author}, ${dayText(Date.parse(timestamp))}`;
  return {
    id,
    title: subject,
    text: body === '' ? head : `${head}\n${body}`,
    timestamp,
    metadata: { author, repository, commit: id.slice(0, 10) },
  };
}
