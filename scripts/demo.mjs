// `npm run demo`: indexes a small vault in a home of its own, searches it three times, and adds a list of todos. All of it runs in this
// process, with the library that `loci-memory` exports.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import './prepare.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const MAX_COLUMNS = 100;

// The user's own settings must not affect the demo.
for (const name of Object.keys(process.env)) if (name.startsWith('LOCI_')) delete process.env[name];
const home = `${root}.cache/demo`;
rmSync(home, { recursive: true, force: true });
const { openLoci } = await import('../dist/bundle/index.js');
const settings = {
  sources: [
    {
      ...{ id: 'tasks', name: 'My tasks', command: 'node todo-txt.mjs data/todo.txt' },
      cwd: `${root}examples/sources`,
    },
  ],
};
// These settings are the demo's own. Those of a user let no command run before it is approved.
const loci = await openLoci({ home, settings, trustsSettings: true });

function styled(text, on, off) {
  return process.stdout.isTTY && !process.env.NO_COLOR ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}
const bold = (text) => styled(text, 1, 22);
const dim = (text) => styled(text, 2, 22);

function progress({ stage, done, total }) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${stage}: ${done} of ${total}`);
}
const clear = () => process.stderr.isTTY && process.stderr.write('\r\u001b[K');

/** The paragraph, item or row of the snippet with the most words of the query, in one line. */
function bestPart({ snippet, highlights }) {
  let [best, most] = ['', -1];
  for (const part of snippet.matchAll(/[^\n]+(?:\n(?![-*|#>\n]|\d+\. )[^\n]+)*/g)) {
    const [from, to] = [part.index, part.index + part[0].length];
    const found = highlights.filter(([start, end]) => start >= from && end <= to).length;
    if (found > most && !/^#+ /.test(part[0])) [best, most] = [part[0].replaceAll(/\s+/g, ' '), found];
  }
  return best;
}

function print(line, indent = '   ') {
  const text = indent + line;
  console.log(text.length > MAX_COLUMNS ? `${text.slice(0, MAX_COLUMNS - 1)}…` : text);
}

async function search(query, count = 2) {
  console.log(bold(`$ loci search "${query}"`));
  const { results, related, took_ms } = await loci.search({ query, limit: 5, related: 5 });
  for (const result of results.slice(0, count)) {
    print(`${result.rank}. ${result.citation} · ${result.age} · ${result.why}`, '');
    print(dim(bestPart(result)));
  }
  return { related, took_ms };
}

try {
  console.log(
    'Loci reads a vault of notes: a household, a kitchen remodel, two projects at work. All runs here, the\n' +
      'embedding model too. The demo has a home of its own, .cache/demo; your own data is not touched.\n',
  );
  console.log(bold('$ loci index examples/vault'));
  const { vaults } = await loci.index({ paths: [`${root}examples/vault`] }, { onProgress: progress });
  clear();
  print(`${vaults[0].added} notes can be found, by words and by meaning.\n`, '');
  await search("let's talk about the kitchen remodel");
  console.log();
  await search('what did we decide about the oven');
  console.log();
  // Misspelt, and with other words than the notes.
  await search('where do we cook while the kithcen is torn apart');
  console.log(
    '\nTodos, calendars and mail join in: a source is a command that prints JSON. Here, a list of todos:\n',
  );
  await loci.sourcesRefresh({ ids: ['tasks'] }, { onProgress: progress });
  clear();
  const { related, took_ms } = await search("let's talk about the kitchen remodel", 1);
  for (const { snippet, belongs_to, from } of related) print(`• ${snippet.split('\n')[0]} · ${from}`);
  console.log(`\nFound in ${took_ms} ms. Next, with your own notes:`);
  console.log('  npx loci index ~/vault                  later: npx loci index');
  console.log('  npx loci search "anything you like"     --explain shows what each signal added');
  console.log('  npx loci ui                             look into it in the browser');
  console.log('  npx loci --help                         all commands');
} finally {
  await loci.close();
}
