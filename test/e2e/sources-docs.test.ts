import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configSchema } from '../../src/config/schema.ts';
import { readSourceSettings } from '../../src/config/problems.ts';
import { readSource, ROOT } from '../arch/source-files.ts';
import { loci, PROGRESS, temporaryFolder } from './loci-command.ts';

interface Block {
  readonly language: string;
  readonly text: string;
}

function blocksIn(page: string): Block[] {
  return [...readSource(page).matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

const BLOCKS: readonly Block[] = blocksIn('docs/sources.md');

function blocksOf(language: string, blocks = BLOCKS): string[] {
  return blocks.filter((block) => block.language === language).map(({ text }) => text);
}

describe('docs/sources.md', () => {
  let home: string;

  beforeAll(() => {
    home = join(temporaryFolder(), 'home');
    mkdirSync(home);
    writeFileSync(join(home, 'tasks.json'), blocksOf('json')[0] ?? '');
    writeFileSync(join(home, 'loci.yaml'), blocksOf('yaml')[0] ?? '');
  });

  it('has commands that work without changes, one after the other', async () => {
    const lines = blocksOf('sh')
      .flatMap((block) => block.split('\n'))
      .map((line) => line.replace(/\s+#.*$/, '').trim())
      .filter((line) => line !== '' && line !== 'loci sources watch');
    expect(lines.length).toBeGreaterThanOrEqual(8);
    for (const line of lines) {
      const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      expect(words[0]).toBe('loci');
      const { code, stdout, stderr } = await loci(words.slice(1), { home });
      expect([line, code, stderr.replace(PROGRESS, '')]).toEqual([line, 0, '']);
      if (words[1] === 'search')
        expect(stdout).toMatch(/From My tasks · ((?:was )?due .*|\d+\w+ ago · read) ?just now/);
    }
  });

  it('has a program with a source of its own, which works', async () => {
    const [program = ''] = blocksOf('ts');
    const file = join(home, 'program.ts');
    const library = pathToFileURL(join(ROOT, 'src/index.ts')).href;
    writeFileSync(file, program.replace("'loci-memory'", JSON.stringify(library)));
    const env = {
      ...process.env,
      LOCI_HOME: join(temporaryFolder(), 'home'),
      LOCI_EMBEDDING_PROVIDER: 'none',
    };
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
    expect(stdout).toMatch(/^Water in the cellar after the storm From Tickets · .* · (?:read )?just now\n$/);
  });

  it('has valid settings of sources and skills', () => {
    const [first, watched, mapped, skill, skills] = blocksOf('yaml');
    for (const text of [first, watched, mapped, skills]) {
      const settings = parse(text ?? '') as Record<string, unknown>;
      expect(configSchema.safeParse(settings).error?.issues ?? []).toEqual([]);
    }
    const front = parse((skill ?? '').replaceAll(/^---$/gm, '')) as { memorySource: unknown };
    expect(readSourceSettings(front.memorySource)).toHaveProperty('settings');
  });
});
