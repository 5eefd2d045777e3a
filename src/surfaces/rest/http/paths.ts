/** The path prefix of the operations. */
export const API = '/api/v1';

/** The path of an operation, by the name of its tool: `memory_search` is at `/api/v1/memory/search`. */
export function pathOf(tool: string): string {
  return `${API}/${tool.replace('_', '/')}`;
}

/** Replaces names of tools in backticks by requests: `memory_undelete 12` → `POST /api/v1/memory/undelete {"id":12}`. */
export function withRequests(text: string): string {
  return text.replaceAll(/`((?:memory|startup)_[a-z]+)(?: (\d+))?`/g, (_, tool: string, id?: string) => {
    const body = id === undefined ? '' : ` {"id":${id}}`;
    return `\`POST ${pathOf(tool)}${body}\``;
  });
}
