// Installs what tests, checks and benchmarks need, and `npm ci` leaves out: the packages of `tools/package.json`. Does nothing if they
// are there.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

function read(path) {
  try {
    return JSON.parse(readFileSync(root + path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const { packages } = read('package-lock.json');
const missing = Object.keys(read('tools/package.json').dependencies).filter((name) => {
  const place = `node_modules/${name}`;
  return read(`${place}/package.json`)?.version !== packages[place].version;
});
if (missing.length > 0) {
  console.error(`Installing ${missing.length} packages that tests and checks need, once …`);
  const options = [
    '--no-save',
    '--workspaces',
    '--include-workspace-root',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ];
  // The Node that runs npm decides whether Node 24 is installed; here, `node` is that one already.
  const { npm_node_execpath: node, npm_execpath: npm } = process.env;
  if (node === undefined || npm === undefined) {
    console.error('Start this with npm: `npm run tools`.');
    process.exit(2);
  }
  const { status } = spawnSync(node, [npm, 'install', ...options], { cwd: root, stdio: ['ignore', 2, 2] });
  process.exit(status ?? 1);
}
