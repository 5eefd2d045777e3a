/** The headings of `loci --help` with the first words of their commands, in the order in which they are printed. */
export const HELP_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Find:': ['search', 'pack', 'get', 'list', 'timeline', 'open', 'graph'],
  'Write:': ['write', 'update', 'delete', 'undelete', 'fact'],
  'Notes and sources:': ['index', 'sources', 'watch', 'forget-vault'],
  'Startup:': ['startup'],
  'Graph:': ['concept'],
  'Receipts:': ['receipt'],
  'Portability:': ['export', 'import', 'corpus'],
  'Administration:': [
    'init',
    'status',
    'doctor',
    'reindex',
    'embed',
    'golden',
    'audit',
    'config',
    'token',
    'completion',
  ],
  'Servers:': ['mcp', 'serve', 'openclaw'],
};

const HEADINGS = Object.keys(HELP_GROUPS);

/** The heading of a command; that of administration for one that is in no group, such as `help`. */
export function headingOf(word: string): string {
  return HEADINGS.find((heading) => HELP_GROUPS[heading]?.includes(word)) ?? 'Administration:';
}

/** Sorts commands by their heading, and otherwise keeps their order. */
export function byHeading(a: readonly string[], b: readonly string[]): number {
  return HEADINGS.indexOf(headingOf(a[0] ?? '')) - HEADINGS.indexOf(headingOf(b[0] ?? ''));
}
