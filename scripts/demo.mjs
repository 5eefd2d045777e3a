// `npm run demo`: reads a small vault into a home of its own and asks it three things, then adds a list of todos: with the real command.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const home = `${root}.cache/demo`;
// The settings of whoever runs this stay out of it.
const own = Object.entries(process.env).filter(([name]) => !name.startsWith('LOCI_'));
const env = { ...Object.fromEntries(own), LOCI_HOME: home };

function run(...args) {
  const { status, error } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  if (status === 0) return;
  console.error(error?.message ?? `It ended with exit code ${status}.`);
  process.exit(status ?? 1);
}

const bold = (text) =>
  process.stdout.isTTY && !process.env['NO_COLOR'] ? `\u001b[1m${text}\u001b[22m` : text;

function loci(...args) {
  const shown = args.map((arg) => (/^[\w./-]+$/.test(arg) ? arg : `"${arg}"`)).join(' ');
  console.log(bold(`$ loci ${shown}`));
  run('bin/loci.js', ...args);
  console.log();
}

run('scripts/prepare.mjs');
rmSync(home, { recursive: true, force: true });

console.log(`
Loci reads a vault of Markdown notes: a household, a kitchen remodel, two projects at work.
Everything happens on this machine, the embedding model included. Its home is ${home.replace(root, '')},
made anew each time; yours is not touched.
`);
loci('index', 'examples/vault');

console.log('A question in plain words finds the note of that name, and what belongs to it:\n');
loci('search', "let's talk about the kitchen remodel", '--limit', '3');

console.log('What was decided, and not what was only considered:\n');
loci('search', 'what did we decide about the oven', '--limit', '3');

console.log('Misspelt, and in other words than the notes use:\n');
loci('search', 'where do we cook while the kithcen is torn apart', '--limit', '3');

console.log(`A source is a command that prints what the agent should simply know: here, a list of todos. It runs once it is
approved, and again every few minutes while an agent, \`loci serve\` or \`loci watch\` is there:
`);
loci(
  'config',
  'set',
  'sources',
  '[{id: tasks, name: My tasks, command: node todo-txt.mjs data/todo.txt, cwd: ../../examples/sources}]',
);
loci('sources', 'approve', 'tasks');
loci('sources', 'refresh', 'tasks');

console.log('The same question again: nobody asked for todos, and the one that belongs to it is there:\n');
loci('search', "let's talk about the kitchen remodel");

console.log(`Now yours:

  npx loci index ~/vault                  read your notes; again later: npx loci index
  npx loci search "anything you like"     --explain says what each signal added
  npx loci get CITATION                   read what a result cites
  npx loci write "something to remember"  search finds it at once
  npx loci sources list                   what a source is: docs/sources.md
  npx loci --help                         the rest
`);
