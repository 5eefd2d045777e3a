// `npm run demo`: indexes a small vault in a separate home, runs three searches and adds a list of todos, all with the real command.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const home = `${root}.cache/demo`;
// The user's own settings must not affect the demo.
const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('LOCI_'));
const env = { ...Object.fromEntries(inherited), LOCI_HOME: home };

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
Everything runs on this machine, including the embedding model. The demo uses its own home folder,
${home.replace(root, '')}, and creates it again each time. Your own data is not touched.
`);
loci('index', 'examples/vault');

console.log('A question in plain words finds the note about the topic:\n');
loci('search', "let's talk about the kitchen remodel", '--limit', '3');

console.log('A question about a decision finds the decision, not the alternatives:\n');
loci('search', 'what did we decide about the oven', '--limit', '3');

console.log('A query may be misspelt and use other words than the notes:\n');
loci('search', 'where do we cook while the kithcen is torn apart', '--limit', '3');

console.log(`A source is a command that prints documents as JSON: here, a list of todos. It runs only after it is approved, and
then every few minutes while an agent, \`loci serve\` or \`loci watch\` is running:
`);
loci(
  'config',
  'set',
  'sources',
  '[{id: tasks, name: My tasks, command: node todo-txt.mjs data/todo.txt, cwd: ../../examples/sources}]',
);
loci('sources', 'approve', 'tasks');
loci('sources', 'refresh', 'tasks');

console.log('The first question again now also returns the related todos:\n');
loci('search', "let's talk about the kitchen remodel");

console.log(`Next, with your own notes:

  npx loci index ~/vault                  index your notes; later: npx loci index
  npx loci search "anything you like"     --explain shows what each signal added
  npx loci get CITATION                   read the record that a result cites
  npx loci write "something to remember"  store a record; search finds it at once
  npx loci sources list                   list the sources; see docs/sources.md
  npx loci --help                         show all commands
`);
