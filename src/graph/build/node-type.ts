import type { LociRecord } from '../../core/types.ts';
import { NODE_TYPES, type NodeType } from '../../core/graph-types.ts';

/** Types by folder of a vault (`Decisions`, or `Vault:Decisions`), and by name of a vault or source. */
export type NodeTypeRules = Readonly<Record<string, NodeType>>;

/** Words for types in front matter, in tags and as the type of a record. */
const TYPES_BY_WORD: ReadonlyMap<string, NodeType> = new Map<string, NodeType>([
  ...NODE_TYPES.map((type): [string, NodeType] => [type, type]),
  ...(['adr', 'entscheidung'] as const).map((word): [string, NodeType] => [word, 'decision']),
  ...(['todo', 'aufgabe'] as const).map((word): [string, NodeType] => [word, 'task']),
  ...(['meeting', 'appointment', 'termin'] as const).map((word): [string, NodeType] => [word, 'event']),
  ...(['bericht', 'retrospective'] as const).map((word): [string, NodeType] => [word, 'report']),
  ...(['bookmark', 'url'] as const).map((word): [string, NodeType] => [word, 'link']),
  ['projekt', 'project'],
]);

type TypedRecord = Pick<
  LociRecord,
  'origin' | 'source' | 'key' | 'recordType' | 'tags' | 'metadata' | 'content'
>;

/**
 * The type of the node of a record: from its `type`, then from the first tag that names one, then from the deepest folder or
 * the source that has a rule, else from its origin.
 */
export function nodeTypeOf(record: TypedRecord, rules: NodeTypeRules): NodeType {
  const { origin, recordType, tags } = record;
  const isDefault = recordType === 'note' || recordType === 'document' || recordType === origin;
  const stated = isDefault ? undefined : TYPES_BY_WORD.get(recordType.toLowerCase());
  if (stated !== undefined) return stated;
  const tagged = tags.find((tag) => {
    const type = TYPES_BY_WORD.get(tag.toLowerCase());
    return type !== undefined && !(type === 'task' && isOfTaskLine(tag, record));
  });
  return (
    (tagged === undefined ? undefined : TYPES_BY_WORD.get(tagged.toLowerCase())) ??
    typeByRule(record, rules) ??
    (origin === 'vault' ? 'note' : 'record')
  );
}

const TASK_LINE = /^[\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[.\][ \t].*$/gmu;

/** Whether a tag stands in a task of a note: the global filter of Obsidian Tasks says nothing of the note. */
function isOfTaskLine(tag: string, { origin, content }: TypedRecord): boolean {
  if (origin !== 'vault') return false;
  return [...content.matchAll(TASK_LINE)].some(([line]) => line.split(/\s+/).includes(`#${tag}`));
}

function typeByRule({ source, key }: TypedRecord, rules: NodeTypeRules): NodeType | undefined {
  const parts = (key ?? '').split('/').slice(0, -1);
  for (let depth = parts.length; depth > 0; depth--) {
    const folder = parts.slice(0, depth).join('/');
    const type = ruleOf(rules, `${source}:${folder}`) ?? ruleOf(rules, folder);
    if (type !== undefined) return type;
  }
  return ruleOf(rules, source);
}

function ruleOf(rules: NodeTypeRules, name: string): NodeType | undefined {
  return Object.hasOwn(rules, name) ? rules[name] : undefined;
}
