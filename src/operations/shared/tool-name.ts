import type { Operation } from '../operation.ts';

/** What models call a verb: `memory_search`; HTTP makes its path of it. */
export function toolName({ name, tool }: Pick<Operation, 'name' | 'tool'>): string {
  return tool ?? name.replaceAll('-', '_');
}
