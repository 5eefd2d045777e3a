import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';
import { faultsOf, readSource, ROOT, sourceFiles } from './source-files.ts';

describe('source files', () => {
  it('are at most 300 lines long and say in their names what they do', () => {
    const files = sourceFiles();
    expect(files).toContain('test/arch/sizes.test.ts');
    expect(files).toContain('src/core/errors.ts');
    expect(files.flatMap((file) => faultsOf(file, readSource(file)))).toEqual([]);
  });

  it('are refused when they are longer or vaguely named', () => {
    expect(faultsOf('src/a.ts', 'x\n'.repeat(300))).toEqual([]);
    expect(faultsOf('src/a.ts', 'x\n'.repeat(301))).toHaveLength(1);
    expect(faultsOf('src/core/string-utils.ts', '')).toHaveLength(1);
    expect(faultsOf('src/common/a.ts', '')).toHaveLength(1);
    expect(faultsOf('src/core/helper.test.ts', '')).toHaveLength(1);
    expect(faultsOf('src/core/commonplace.ts', '')).toEqual([]);
  });

  it('have functions of at most 60 lines: eslint holds to it', async () => {
    const eslint = new ESLint({ cwd: ROOT });
    const body = '  console.log();\n'.repeat(59);
    const problems = async (lines: string): Promise<string[]> => {
      const [result] = await eslint.lintText(`export function f() {\n${lines}}\n`, {
        filePath: 'scripts/f.mjs',
      });
      return result?.messages.map(({ ruleId }) => ruleId ?? 'none') ?? [];
    };
    expect(await problems(body)).toEqual(['max-lines-per-function']);
    expect(await problems(body.slice('  console.log();\n'.length))).toEqual([]);
    const rules: unknown = ((await eslint.calculateConfigForFile('src/core/errors.ts')) as ESLint.ConfigData)
      .rules;
    expect(rules).toMatchObject({
      'max-lines-per-function': [2, { max: 60 }],
      'max-lines': [2, { max: 300 }],
    });
  });
});
