import type { LociRecord } from '../../src/core/types.ts';
import type { LinkSelector, RecordLink } from '../../src/store/model.ts';
import type { NamedRecord } from '../../src/store/search-model.ts';
import { isSourced } from '../../src/store/rules/filter.ts';
import { LinkIndex, linksIn } from '../../src/store/rules/link-index.ts';
import { foldNoteName, MAX_BEARERS, mentionNames, noteNames } from '../../src/store/rules/mention-names.ts';
import { type Namespace, passagesOf, recordsOf } from './state.ts';

/** Every link of a namespace, resolved among all keys of its source. */
export function linksOf(namespace: Namespace): RecordLink[] {
  const live = recordsOf(namespace).filter(({ deletedAt }) => deletedAt === null);
  return live.flatMap(({ id, key, source, metadata }) => {
    if (key === null) return [];
    const documents = live.filter((other) => isSourced(other) && other.source === source);
    const index = new LinkIndex(documents.flatMap((other) => other.key ?? []));
    return linksIn(metadata).map(({ target, type }, i) => {
      const targetKey = index.resolve(target, key);
      const found = documents.find((other) => targetKey !== null && other.key === targetKey);
      const targetPassage = found === undefined ? null : (passagesOf(namespace, found.id)[0]?.id ?? null);
      const resolved = { targetRecord: found?.id ?? null, targetKey: found?.key ?? null, targetPassage };
      return { record: id, key, position: i + 1, source, target, type, ...resolved };
    });
  });
}

export function selects(selector: LinkSelector, { record, target, targetRecord }: RecordLink): boolean {
  if ('from' in selector)
    return selector.from.includes(record) && (selector.targets?.includes(target) ?? true);
  if ('to' in selector) return targetRecord !== null && selector.to.includes(targetRecord);
  return targetRecord === null;
}

export function namedRecords(namespace: Namespace, names: readonly string[]): NamedRecord[] {
  const live = recordsOf(namespace).filter(({ deletedAt }) => deletedAt === null);
  return [...new Set(names)].flatMap((name) => {
    const bearers = live.filter((record) => mentionNames(record).includes(name));
    if (bearers.length > MAX_BEARERS) return [];
    return bearers.flatMap(({ id }) =>
      passagesOf(namespace, id)
        .slice(0, 1)
        .map((first) => ({ name, record: id, passage: first.id })),
    );
  });
}

export function hasNoteName(record: LociRecord, name: string): boolean {
  return record.deletedAt === null && noteNames(record).includes(foldNoteName(name));
}
