// Writes docs/commands.md from the verbs and the error table: `node scripts/command-docs.ts`. A test holds them together.
import { writeFileSync } from 'node:fs';
import { ERROR_TABLE, type ErrorCode } from '../src/core/errors.ts';
import { inputFields } from '../src/operations/shared/input.ts';
import type { Operation } from '../src/operations/operation.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import { inCommands } from '../src/surfaces/shared/command-names.ts';
import { EXIT_CODES } from '../src/surfaces/cli/report-error.ts';
import { commandLine, fieldOptions } from '../src/surfaces/cli/fields.ts';
import { type ServerCommand, SERVERS } from '../src/surfaces/cli/server-commands.ts';
import { shapeOf } from '../src/surfaces/cli/shapes.ts';

const HEAD = `# Commands

<!-- Written by \`node scripts/command-docs.ts\` from src/operations; a change here is overwritten. -->

\`loci COMMAND --help\` says the same. Every command also takes:

- \`--json\`: answer one JSON document on standard output, \`{"error": {"code", "message", "hint"}}\` when it fails. Names are in
  snake_case; a time is text in ISO 8601, in UTC (\`2026-09-14T16:30:00.000Z\`); \`took_ms\` is a duration in whole
  milliseconds; \`score\` is from 0 to 1. Progress and warnings are on standard error.
- \`--home DIR\`: the home folder, instead of \`$LOCI_HOME\` or \`~/.loci\`.
- \`--input FILE\`: take the fields of the input from a JSON object in a file, or \`-\` for standard input. What the command line
  gives wins.
`;

function section(operation: Operation): string {
  const shape = shapeOf(operation.name);
  const fields = inputFields(operation);
  const operands = shape.operands.map(({ field, label, takes }) => {
    const description = fields.find(({ name }) => name === field)?.schema.description ?? '';
    const stdin = takes === 'words' ? ' `-` alone reads standard input.' : '';
    return `- \`${label.toUpperCase()}\`: ${inCommands(description)}${stdin}`;
  });
  const options = fieldOptions(fields, shape).map(({ name, letter, kind, placeholder, description }) => {
    const short = letter === null ? '' : `\`-${letter}\`, `;
    const argument =
      kind === 'flag' ? '' : ` ${placeholder.includes('|') ? placeholder : placeholder.toUpperCase()}`;
    return `- ${short}\`--${name}${argument}\`: ${description}`;
  });
  const views = shape.views.map(({ name, description }) => `- \`--${name}\`: ${description}.`);
  const examples = operation.examples.map(
    ({ title, input }) => `# ${title}\n${commandLine(input, fields, shape)}`,
  );
  const lists = [...operands, ...options, ...views];
  return [
    `## \`loci ${shape.words.join(' ')}\``,
    inCommands(operation.description),
    ...(lists.length === 0 ? [] : [lists.join('\n')]),
    `\`\`\`sh\n${examples.join('\n\n')}\n\`\`\``,
  ].join('\n\n');
}

function serverSection({ name, description, operands, options, examples }: ServerCommand): string {
  const lists = [
    ...operands.map((operand) => `- \`${operand.label.toUpperCase()}\`: ${operand.description}`),
    ...options.map(
      (option) =>
        `- \`--${option.name}${option.placeholder === null ? '' : ` ${option.placeholder.toUpperCase()}`}\`: ${option.description}`,
    ),
  ];
  return [
    `## \`loci ${name}\``,
    description,
    ...(lists.length === 0 ? [] : [lists.join('\n')]),
    `\`\`\`sh\n${examples.map(({ title, line }) => `# ${title}\n${line}`).join('\n\n')}\n\`\`\``,
  ].join('\n\n');
}

function errors(): string {
  const codes = EXIT_CODES.map(([code, meaning]) => `- ${String(code)}: ${meaning}`);
  const table = (Object.keys(ERROR_TABLE) as ErrorCode[]).map((code) => {
    const { exit, status, hint } = ERROR_TABLE[code];
    return `- \`${code}\`: exit code ${String(exit)}, HTTP status ${String(status)}. ${hint}`;
  });
  return [
    '## Errors',
    'An error names the thing that was wrong, and what to do next: the advice below, unless there is better.',
    table.join('\n'),
    'Exit codes:',
    codes.join('\n'),
  ].join('\n\n');
}

/** The whole page. */
export async function renderCommandDocs(): Promise<string> {
  const verbs = await Promise.all(OPERATIONS.map(({ load }) => load()));
  return `${[HEAD.trimEnd(), ...verbs.map(section), ...SERVERS.map(serverSection), errors()].join('\n\n')}\n`;
}

if (import.meta.main) {
  writeFileSync(new URL('../docs/commands.md', import.meta.url), await renderCommandDocs());
}
