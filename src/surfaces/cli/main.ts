import { OPERATIONS } from '../../operations/registry.ts';
import { runCli } from './run-cli.ts';

// A reader that stops early, as in `loci search x | head -1`, is not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    if (stream === process.stdout)
      process.stderr.write(`loci: standard output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
}
process.exitCode = await runCli(process.argv.slice(2), OPERATIONS, process);
