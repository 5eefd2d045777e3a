#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read: it says what is missing before anything newer is loaded.
const REQUIRED = 24;
const EXIT_UNSUPPORTED_RUNTIME = 9;

if (Number.parseInt(process.versions.node, 10) < REQUIRED) {
  process.stderr.write(
    `loci: Loci needs Node ${REQUIRED} or newer; this is Node ${process.versions.node}.\n` +
      `Install Node ${REQUIRED} (https://nodejs.org/en/download). In a clone of Loci, \`npm ci\` has brought it ` +
      'already: run `npx loci` there.\n',
  );
  process.exitCode = EXIT_UNSUPPORTED_RUNTIME;
} else {
  await start();
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
