import { describe, expect, it } from 'vitest';
import { renderClientDocs } from '../../scripts/client-docs.ts';
import { renderCommandDocs } from '../../scripts/command-docs.ts';
import {
  renderCorpusManifest,
  renderManifest,
  renderOpenclawDocs,
  renderToolDefinitions,
} from '../../scripts/openclaw-manifest.ts';
import { renderConfigDocs } from '../../scripts/config-docs.ts';
import { renderGraphSchema } from '../../scripts/graph-schema.ts';
import { renderReceiptSchema } from '../../scripts/receipt-schema.ts';
import { ERROR_TABLE } from '../../src/core/errors.ts';
import { inputFields } from '../../src/operations/shared/input.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { EXIT_CODES } from '../../src/surfaces/cli/report-error.ts';
import { fieldOptions } from '../../src/surfaces/cli/fields.ts';
import { loadCommand } from '../../src/surfaces/cli/commands/registry.ts';
import { STANDALONE_COMMANDS } from '../../src/surfaces/cli/standalone-commands.ts';
import { commandWords } from '../../src/surfaces/shared/command-names.ts';
import { readSource } from './source-files.ts';

describe('documentation', () => {
  it('docs/configuration.md is what `node scripts/config-docs.ts` writes', () => {
    expect(readSource('docs/configuration.md')).toBe(renderConfigDocs());
  });

  it('docs/commands.md is what `node scripts/command-docs.ts` writes', async () => {
    expect(readSource('docs/commands.md')).toBe(await renderCommandDocs());
  });

  it('docs/clients.md is what `node scripts/client-docs.ts` writes', async () => {
    expect(readSource('docs/clients.md')).toBe(await renderClientDocs());
  });

  it('the manifests, tools and settings for OpenClaw are what `node scripts/openclaw-manifest.ts` writes', async () => {
    expect(readSource('openclaw.plugin.json')).toBe(await renderManifest());
    expect(readSource('openclaw/loci-corpus/openclaw.plugin.json')).toBe(await renderCorpusManifest());
    expect(readSource('src/surfaces/openclaw/tool-definitions.json')).toBe(await renderToolDefinitions());
    const page = readSource('docs/openclaw.md');
    expect(page).toBe(await renderOpenclawDocs(page));
  });

  it('docs/graph.schema.json is what `node scripts/graph-schema.ts` writes', async () => {
    expect(readSource('docs/graph.schema.json')).toBe(await renderGraphSchema());
  });

  it('docs/receipt.schema.json is what `node scripts/receipt-schema.ts` writes', async () => {
    expect(readSource('docs/receipt.schema.json')).toBe(await renderReceiptSchema());
  });

  it('docs/commands.md lists exactly the error codes of the table, with their exit codes', () => {
    const listed = [...readSource('docs/commands.md').matchAll(/^- `(\w+)`: exit code (\d+),/gm)];
    const table = Object.entries(ERROR_TABLE).map(([code, { exit }]) => [code, String(exit)]);
    expect(listed.map(([, code, exit]) => [code, exit])).toEqual(table);
    const exitCodes = new Set([0, ...Object.values(ERROR_TABLE).map(({ exit }) => exit)]);
    expect(EXIT_CODES.map(([code]) => code).toSorted((a, b) => a - b)).toEqual(
      [...exitCodes].toSorted((a, b) => a - b),
    );
  });

  it('docs/commands.md describes every command with its options', async () => {
    const page = readSource('docs/commands.md');
    for (const { name, load } of OPERATIONS) {
      const command = await loadCommand(name);
      const words = commandWords(name).join(' ');
      const [, part = ''] = page.split(`## \`loci ${words}\`\n`);
      const [section = ''] = part.split('\n## ');
      expect(section, words).not.toBe('');
      for (const option of fieldOptions(inputFields(await load()), command))
        expect(section, words).toContain(`\`--${option.name}`);
      for (const view of command.viewOptions) expect(section, words).toContain(`\`--${view.name}\``);
    }
  });

  it('docs/commands.md describes every standalone command with its options', () => {
    const page = readSource('docs/commands.md');
    for (const { name, options, lists, operands } of STANDALONE_COMMANDS) {
      const [, part = ''] = page.split(`## \`loci ${name}\`\n`);
      const [section = ''] = part.split('\n## ');
      expect(section, name).not.toBe('');
      for (const option of Object.keys({ ...options, ...lists }))
        expect(section, name).toContain(`\`--${option.replace(/ .*/, '')}`);
      for (const { label } of operands) expect(section, name).toContain(`\`${label.toUpperCase()}\``);
    }
  });
});
