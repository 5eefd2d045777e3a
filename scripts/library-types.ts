/** Writes the types of the library's methods out, from the schemas of the operations, so that their descriptions are doc comments. */

import { z } from 'zod';
import { OPERATIONS } from '../src/operations/registry.ts';
import { methodName } from '../src/surfaces/library/methods.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** Declarations in the place of those that `tsc` makes of `src/surfaces/library/methods.ts`. */
export async function libraryTypes(): Promise<string> {
  const types: string[] = [];
  const methods: string[] = [];
  for (const { name, load } of OPERATIONS) {
    const { title, description, input, output } = await load();
    const method = methodName(name);
    const type = method.charAt(0).toUpperCase() + method.slice(1);
    const given = z.toJSONSchema(input, { io: 'input' });
    const optional = (given.required ?? []).length === 0 ? '?' : '';
    types.push(
      `export interface ${type}Input ${typeOf(given, '')}`,
      `export interface ${type}Output ${typeOf(z.toJSONSchema(output), '')}`,
    );
    methods.push(
      `${docComment(`${title}. ${description}`, '  ')}  ${method}(input${optional}: ${type}Input, options?: CallOptions): Promise<${type}Output>;\n`,
    );
  }
  return [
    `import type { Progress } from '../../core/progress.ts';`,
    `import type { Json } from '../../core/types.ts';`,
    `export interface CallOptions {\n  /** Ends the call with the error \`aborted\`. */\n  readonly signal?: AbortSignal;\n  readonly onProgress?: (progress: Progress) => void;\n}`,
    ...types,
    `/** Every operation as a method. */\nexport interface OperationMethods {\n${methods.join('')}}\n`,
  ].join('\n');
}

function docComment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*∕').replaceAll('\n', ' ')} */\n`;
}

/** The type of the values of a schema. */
function typeOf(schema: Schema, indent: string): string {
  const { type, enum: values, const: only, anyOf, items, properties, additionalProperties } = schema;
  if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  // A schema that refers to itself is that of any JSON.
  if (schema.$ref !== undefined || anyOf?.some((each) => isArrayOfReferences(each))) return 'Json';
  if (anyOf !== undefined) return anyOf.map((each) => typeOf(each, indent)).join(' | ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each }, indent)).join(' | ');
  if (type === 'array') return `Array<${typeOf((items ?? {}) as Schema, indent)}>`;
  if (type === 'integer') return 'number';
  if (type !== 'object') return typeof type === 'string' ? type : 'unknown';
  if (properties === undefined)
    return typeof additionalProperties === 'object'
      ? `Record<string, ${typeOf(additionalProperties, indent)}>`
      : '{}';
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, each]) => {
    const field = each as Schema;
    const optional = schema.required?.includes(name) === true ? '' : '?';
    return `${docComment(field.description, inner)}${inner}${name}${optional}: ${typeOf(field, inner)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

function isArrayOfReferences(schema: z.core.JSONSchema._JSONSchema): boolean {
  return typeof schema === 'object' && typeof schema.items === 'object' && '$ref' in schema.items;
}
