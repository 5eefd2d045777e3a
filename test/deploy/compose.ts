import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface Service {
  readonly image: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly read_only?: boolean;
  readonly tmpfs?: string | string[];
  readonly ports?: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: string;
  readonly secrets?: readonly string[];
  readonly restart?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

export interface Project {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: Readonly<Record<string, { readonly name?: string; readonly internal?: boolean } | null>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** The variables of a file of lines `NAME=VALUE`. */
export function variablesOf(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(lines.map((line) => [line.replace(/=.*/, ''), line.replace(/^\w+=/, '')]));
}

/** The project that `.env` of this folder names, with the values of its variables: of what Compose does, what our files use. */
export function composeProject(folder: string): Project {
  const variables = variablesOf(join(folder, '.env'));
  const files = variables['COMPOSE_FILE']!.split(':').map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const values = text.replaceAll(
      /\$\{(\w+):-([^}]*)\}/g,
      (_, name: string, fallback: string) => variables[name] ?? fallback,
    );
    return parse(values) as Project;
  });
  return files.reduce((project, added) => merged(project, added) as Project);
}

/** Maps are merged, and lists joined; for anything else, the later file counts. */
function merged(before: unknown, added: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(added))
    return [...(before as unknown[]), ...(added as unknown[])];
  if (!isMap(before) || !isMap(added)) return added;
  const keys = new Set([...Object.keys(before), ...Object.keys(added)]);
  return Object.fromEntries(
    [...keys].map((key) => [
      key,
      key in before && key in added ? merged(before[key], added[key]) : (added[key] ?? before[key]),
    ]),
  );
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
