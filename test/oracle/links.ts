import type { LinkSelector, RecordLink } from '../../src/store/model.ts';
import { isSourced } from '../../src/store/rules/filter.ts';
import { LinkIndex, linksIn } from '../../src/store/rules/link-index.ts';
import { type Namespace, recordsOf } from './state.ts';

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
      const resolved = { targetRecord: found?.id ?? null, targetKey: found?.key ?? null };
      return { record: id, key, position: i + 1, source, target, type, ...resolved };
    });
  });
}

export function selects(selector: LinkSelector, { record, targetRecord }: RecordLink): boolean {
  if ('from' in selector) return selector.from.includes(record);
  if ('to' in selector) return targetRecord !== null && selector.to.includes(targetRecord);
  return targetRecord === null;
}
