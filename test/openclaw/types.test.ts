import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CACHE, ROOT } from './installation.ts';

const FILE = 'test/openclaw/host-types.ts';

it('the types of the plugin agree with those of OpenClaw', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loci-openclaw-types-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = {
    incremental: false,
    tsBuildInfoFile: null,
    // OpenClaw compiles its own types without this option.
    exactOptionalPropertyTypes: false,
    lib: ['es2024', 'esnext.disposable', 'dom'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
    paths: { 'openclaw/*': [join(CACHE, 'node_modules', 'openclaw', 'dist', '*.d.ts')] },
  };
  const files = [join(ROOT, FILE)];
  writeFileSync(
    project,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: [], files }),
  );
  const output = await compile('-p', project, '--explainFiles');
  expect(output).toContain('openclaw/dist/plugin-sdk/plugin-entry.d.ts');
  // With the options of OpenClaw, other files of the checkout may have errors.
  expect(output.split('\n').filter((line) => line.includes(`${FILE}(`))).toEqual([]);
});

/** What the compiler prints, whether it finds errors or not. */
function compile(...args: readonly string[]): Promise<string> {
  const compiler = join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [compiler, ...args],
      { cwd: ROOT, maxBuffer: 50_000_000, timeout: 100_000 },
      (_error, stdout) => {
        resolve(stdout);
      },
    );
  });
}
