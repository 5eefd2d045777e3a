// Written by `node scripts/openclaw-manifest.ts`; do not edit it.

/** A tool, as the host needs it before the engine is loaded. */
export interface ToolDefinition {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: object;
  /** The operation that it runs. */
  readonly operation: string;
  /** Whether an agent sees it without a search for tools. */
  readonly alwaysVisible: boolean;
  /** Whether it is offered only if `writes.enabled` is true. */
  readonly needsWrites: boolean;
}

export const READ_TOOLS: Readonly<Record<'search' | 'get', ToolDefinition>> = {
  search: {
    name: 'memory_search',
    label: 'Memory Search',
    description:
      'Mandatory recall step: searches the owner’s notes, todos and calendar, the memory files of this workspace, and what agents have stored, by words and by meaning, before you answer anything about earlier work, decisions, dates, people, preferences or todos. Results are best first; `score` is the probability that a result is right. No results means that no record is about the query. If the answer has `unavailable` or `warning`, tell the user.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'The question, in plain words.' },
        maxResults: { type: 'integer', description: 'How many results at most.' },
        minScore: {
          type: 'number',
          description: 'Leave out results whose probability of being right is lower.',
        },
        corpus: {
          type: 'string',
          description: 'Not needed: everything that is remembered is searched.',
          enum: ['memory', 'wiki', 'all', 'sessions'],
        },
        from: {
          type: 'string',
          description: 'Only of this day, month or year, or later: 2026-09-14, yesterday, last week.',
        },
        until: { type: 'string', description: 'Only of this day, month or year, or earlier.' },
        tags: { type: 'array', description: 'Only with all of these tags.', items: { type: 'string' } },
        sources: {
          type: 'array',
          description: 'Only of these vaults or sources.',
          items: { type: 'string' },
        },
        project: { type: 'string', description: 'Only of this project.' },
      },
      required: ['query'],
    },
    operation: 'search',
    alwaysVisible: true,
    needsWrites: false,
  },
  get: {
    name: 'memory_get',
    label: 'Memory Get',
    description:
      'Reads a record that `memory_search` found, or some of its lines, by its `path` or `citation`. `truncated` and `nextFrom` say where it continues.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'A `path` or `citation` of a search result.' },
        from: { type: 'integer', description: 'The first line, from 1.' },
        lines: { type: 'integer', description: 'How many lines.' },
        corpus: { type: 'string', description: 'Not needed.', enum: ['memory', 'wiki', 'all'] },
      },
      required: ['path'],
    },
    operation: 'get',
    alwaysVisible: true,
    needsWrites: false,
  },
};

export const WRITE_TOOLS: readonly ToolDefinition[] = [
  {
    name: 'memory_write',
    label: 'Remember something',
    description:
      'Stores lasting knowledge that will matter later, such as a decision or what was learned, one thing in each record. When this returns, the record is durable and search finds it.',
    parameters: {
      type: 'object',
      properties: {
        content: { type: 'string', description: 'The text to remember, up to 1 MiB; may be Markdown.' },
        title: { type: 'string', description: 'A short heading.' },
        category: { type: 'string', description: 'A category of your choice; `general` unless given.' },
        record_type: { type: 'string', description: 'The type of the record; `fact` unless given.' },
        tags: { type: 'array', description: 'Words to filter by.', items: { type: 'string' } },
        project: {
          type: 'string',
          description: 'The project that it belongs to; the configured one unless given.',
        },
        idempotency_key: {
          type: 'string',
          description:
            'A key that you choose for this request. A request with the same key within a day is not carried out again, so that it can safely be repeated.',
        },
      },
      required: ['content'],
    },
    operation: 'write',
    alwaysVisible: true,
    needsWrites: true,
  },
  {
    name: 'memory_update',
    label: 'Change a record',
    description:
      'Changes the given fields of a record that `memory_write` stored; the others stay. The former values are in the audit log. Notes are changed in their vault, facts by storing them again.',
    parameters: {
      type: 'object',
      properties: {
        id: { type: 'integer', description: 'The number of the record: 12 for `record/12`.' },
        content: { type: 'string', description: 'The new text, complete.' },
        title: { type: 'string', description: 'The new heading.' },
        category: { type: 'string', description: 'The new category.' },
        record_type: { type: 'string', description: 'The new type.' },
        tags: {
          type: 'array',
          description: 'The new tags, which replace all former ones.',
          items: { type: 'string' },
        },
        project: { type: 'string', description: 'The new project.' },
      },
      required: ['id'],
    },
    operation: 'update',
    alwaysVisible: false,
    needsWrites: true,
  },
  {
    name: 'memory_delete',
    label: 'Delete a record',
    description:
      'Removes a record from all results. Nothing is destroyed yet: `memory_undelete` restores it until it is purged, after 30 days unless configured otherwise. Notes are removed by deleting their files.',
    parameters: {
      type: 'object',
      properties: { id: { type: 'integer', description: 'The number of the record: 12 for `record/12`.' } },
      required: ['id'],
    },
    operation: 'delete',
    alwaysVisible: false,
    needsWrites: true,
  },
  {
    name: 'memory_undelete',
    label: 'Restore a record',
    description: 'Restores a deleted record or fact as it was; search finds it again at once.',
    parameters: {
      type: 'object',
      properties: { id: { type: 'integer', description: 'The number of the record: 12 for `record/12`.' } },
      required: ['id'],
    },
    operation: 'undelete',
    alwaysVisible: false,
    needsWrites: true,
  },
  {
    name: 'memory_store',
    label: 'Store a fact',
    description:
      'Stores a value under a key, such as a preference of the user, until it expires: 90 days unless given. It replaces the value that the key had in this category. `memory_write` is for lasting knowledge.',
    parameters: {
      type: 'object',
      properties: {
        key: {
          type: 'string',
          description: 'The name of the fact, such as `preferred_framework`; at most 512 characters.',
        },
        value: { type: 'string', description: 'The fact itself, up to 1 MiB.' },
        category: {
          type: 'string',
          description:
            'A category, such as preferences or project_conventions; `user_facts` unless given. pack_history and pipeline_history are reserved.',
        },
        tags: { type: 'array', description: 'Words to filter by.', items: { type: 'string' } },
        expires: {
          type: 'string',
          description: 'How long the fact is valid: 12h, 7d; 90d unless given, at least 1h, at most 365d.',
        },
        idempotency_key: {
          type: 'string',
          description:
            'A key that you choose for this request. A request with the same key within a day is not carried out again, so that it can safely be repeated.',
        },
      },
      required: ['key', 'value'],
    },
    operation: 'fact-store',
    alwaysVisible: true,
    needsWrites: false,
  },
  {
    name: 'memory_forget',
    label: 'Forget facts',
    description:
      'Deletes facts by key, by the beginning of their keys or by category; all of the given conditions must hold. Until a fact expires, `memory_undelete` with its id restores it.',
    parameters: {
      type: 'object',
      properties: {
        key: { type: 'string', description: 'Only the fact with this key.' },
        prefix: { type: 'string', description: 'Only facts whose keys begin with this text.' },
        category: { type: 'string', description: 'Only facts of this category.' },
      },
    },
    operation: 'fact-forget',
    alwaysVisible: false,
    needsWrites: false,
  },
];
