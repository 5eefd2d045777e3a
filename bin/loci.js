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
  await import('../dist/surfaces/cli/main.js');
}
