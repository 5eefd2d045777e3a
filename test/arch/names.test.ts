import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';
import { ROOT, sourceFiles, vagueNames } from './source-files.ts';

describe('source files', () => {
  it('do not have vague names', () => {
    const files = sourceFiles();
    expect(files).toContain('test/arch/names.test.ts');
    expect(files).toContain('src/core/errors.ts');
    expect(files.flatMap(vagueNames)).toEqual([]);
  });

  it('are reported if their names are vague', () => {
    expect(vagueNames('src/core/string-utils.ts')).toHaveLength(1);
    expect(vagueNames('src/common/a.ts')).toHaveLength(1);
    expect(vagueNames('src/core/helper.test.ts')).toHaveLength(1);
    expect(vagueNames('src/core/commonplace.ts')).toEqual([]);
  });

  it('cause an ESLint warning if they or their functions are long', async () => {
    const eslint = new ESLint({ cwd: ROOT });
    const lint = async (text: string): Promise<string[]> => {
      const [result] = await eslint.lintText(text, { filePath: 'scripts/f.mjs' });
      return result?.messages.map(({ ruleId, severity }) => `${ruleId ?? 'none'} ${String(severity)}`) ?? [];
    };
    const lines = '  console.log();\n'.repeat(58);
    expect(await lint(`export function f() {\n${lines}}\n`)).toEqual([]);
    expect(await lint(`export function f() {\n${lines}${lines}}\n`)).toEqual(['max-lines-per-function 1']);
    expect(await lint('console.log();\n'.repeat(301))).toEqual(['max-lines 1']);
  });
});
