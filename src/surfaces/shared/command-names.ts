/** Tools whose command is called otherwise: `memory_store` is `fact store`, `memory_search` is `search`. */
const COMMANDS: Readonly<Record<string, string>> = {
  store: 'fact store',
  recall: 'fact recall',
  list: 'fact list',
  forget: 'fact forget',
  categories: 'fact categories',
  sources: 'sources list',
};

/** Descriptions and hints name verbs in backticks as models call them; who is at a shell types commands. */
export function inCommands(text: string): string {
  return text.replaceAll(
    /`memory_([a-z]+)( \d+)?`/g,
    (_, verb: string, id = '') =>
      `\`loci ${Object.hasOwn(COMMANDS, verb) ? String(COMMANDS[verb]) : verb}${String(id)}\``,
  );
}
