#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read. An old Node starts the one that `npm ci` has brought into a clone.
const REQUIRED = 24;
const EXIT_UNSUPPORTED_RUNTIME = 9;

if (Number.parseInt(process.versions.node, 10) >= REQUIRED) await start();
else if (!(await startWithOwnNode())) {
  process.stderr.write(
    `loci: Loci needs Node ${REQUIRED} or newer; this is Node ${process.versions.node}.\n` +
      `Install Node ${REQUIRED} (https://nodejs.org/en/download)${isClone() ? ', or run `npm ci` in this clone, which brings it' : ''}.\n`,
  );
  process.exitCode = EXIT_UNSUPPORTED_RUNTIME;
}

/** Whether this is a clone, rather than an installed package. */
function isClone() {
  return !/[/\\]node_modules[/\\]/.test(import.meta.url);
}

/** Runs this command with the Node in the clone's `node_modules/`. Returns false if there is none. */
async function startWithOwnNode() {
  const { existsSync } = await import('node:fs');
  const { fileURLToPath } = await import('node:url');
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const node = fileURLToPath(new URL(`../node_modules/node/bin/${program}`, import.meta.url));
  if (!existsSync(node)) return false;
  const { spawn } = await import('node:child_process');
  const file = fileURLToPath(import.meta.url);
  const child = spawn(node, [file, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both processes; this one waits for the other. Without a terminal, one process has sent it to this one.
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  process.on('SIGINT', () => hasTerminal || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [exitCode, signal] = await new Promise((resolve, reject) => {
    child.on('error', reject).on('exit', (...ended) => resolve(ended));
  });
  if (signal === null) process.exitCode = exitCode;
  else {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  return true;
}

async function start() {
  const home = homeFolder();
  const isSafe = home !== null && isOnlyMine(home);
  if (isSafe) {
    const { askRunningProcess } = await import('./command-socket.js');
    const exitCode = await askRunningProcess(home, process.argv.slice(2));
    if (exitCode !== null) {
      process.exitCode = exitCode;
      return;
    }
    // Loci's own code, compiled: a command starts a tenth of a second sooner.
    process.getBuiltinModule('node:module').enableCompileCache(`${home}/cache`);
  }
  await import('../dist/bundle/main.js');
}

/** The absolute path of the home; `null` for one that the command itself has to find. */
function homeFolder() {
  const { join, resolve } = process.getBuiltinModule('node:path');
  const home = process.env.LOCI_HOME || join(process.getBuiltinModule('node:os').homedir(), '.loci');
  return home.startsWith('~') ? null : resolve(home);
}

/** Whether nobody else can write to the home. */
function isOnlyMine(home) {
  try {
    const found = process.getBuiltinModule('node:fs').statSync(home, { throwIfNoEntry: false });
    return found?.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
  } catch {
    // The command itself says what is wrong with this home.
    return false;
  }
}
