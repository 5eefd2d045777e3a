import { ERROR_TABLE } from '../../core/errors.ts';
import { describeFileError, isDiskFull } from '../../core/fs/file-errors.ts';
import { OPERATIONS } from '../../operations/registry.ts';
import { runCli } from './run-cli.ts';

// A reader that stops early, as in `loci search x | head -1`, is not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    if (stream === process.stdout)
      process.stderr.write(`loci: standard output cannot be written: ${describeFileError(error)}\n`);
    process.exit(isDiskFull(error) ? ERROR_TABLE.store_full.exit : 1);
  });
}
process.exitCode = await runCli(process.argv.slice(2), OPERATIONS, process);
