import { isDeepStrictEqual } from 'node:util';
import { LociError } from '../../core/errors.ts';
import type { Json } from '../../core/types.ts';
import type { ItemChange, ItemCursor, ItemDraft, ItemId, ItemSelector, StoredItem } from '../item-model.ts';
import type { Page } from '../model.ts';
import { assertSafeIntegers, wellFormed } from '../rules/validation.ts';
import type { Driver } from './driver.ts';
import { objectsOf, storedObject } from './rows.ts';
import { atOnce, type Row, type Sql } from './sql.ts';

const COLUMNS = 'kind, key, position, at, expires_at AS "expiresAt", type, ref, body';
const ORDERS = { position: ['position'], at: ['at', 'key'], key: ['key'] } as const;

const CONDITIONS = {
  kind: 'kind = :kind',
  key: 'key = :key',
  type: 'type = :type',
  ref: 'ref = :ref',
  mentions: "body LIKE '%' || :mentions || '%'",
  except: "body NOT LIKE '%' || :except || '%'",
  since: 'at >= :since',
  liveAt: '(expires_at IS NULL OR expires_at > :liveAt)',
};

/** One statement, which looks the namespace up. */
export async function readItems(
  { sql }: Driver,
  namespace: string,
  selector: ItemSelector,
  page: Page<ItemCursor>,
): Promise<StoredItem[]> {
  const { by, newest = false, ...values } = selector;
  const order = ORDERS[by];
  const after = Object.fromEntries(order.map((column) => [`after_${column}`, page.after?.[column] ?? null]));
  const conditions = [
    'ns = (SELECT id FROM namespace WHERE name = :namespace)',
    ...Object.keys(values).map((name) => CONDITIONS[name as keyof typeof CONDITIONS]),
    ...(page.after === null
      ? []
      : [`(${order.join(', ')}) ${newest ? '<' : '>'} (:${Object.keys(after).join(', :')})`]),
  ];
  const index =
    values.ref !== undefined ? 'item_ref' : by === 'key' || values.key !== undefined ? null : `item_${by}`;
  const rows = await sql.all(
    `SELECT ${COLUMNS} FROM item ${index === null ? '' : sql.dialect.index(index)} WHERE ${conditions.join(' AND ')}
     ORDER BY ${order.map((column) => `${column} ${newest ? 'DESC' : 'ASC'}`).join(', ')} LIMIT :limit`,
    { ...values, namespace, limit: page.limit, ...(page.after !== null && after) },
  );
  return objectsOf(rows);
}

type Edit = Extract<ItemChange, { readonly put: unknown } | { readonly change: unknown }>;

/** Within a transaction. @throws LociError `conflict`, `invalid_input` for a time that is not a whole number, `store_corrupt` */
export async function changeItems(sql: Sql, ns: number, changes: readonly ItemChange[]): Promise<void> {
  await writeItems(sql, ns, changes, await itemsBefore(sql, ns, changes));
}

/** The items that the changes replace, and the last position of each of their kinds. */
export interface ItemsBefore {
  readonly rows: ReadonlyMap<string, Row>;
  readonly last: ReadonlyMap<string, number>;
}

/**
 * Reads what `writeItems` needs to know. Within its transaction.
 * @param expiredBy items that expired by then are removed before the changes
 */
export async function itemsBefore(
  sql: Sql,
  ns: number,
  changes: readonly ItemChange[],
  expiredBy = -Infinity,
): Promise<ItemsBefore> {
  const edits = wellFormed(changes.filter(isEdit));
  if (edits.length === 0) return { rows: new Map(), last: new Map() };
  const ids = edits.map((edit) => {
    const { kind, key } = 'put' in edit ? edit.put : edit.change;
    return { kind, key };
  });
  const [found] = await atOnce(sql, [
    () =>
      sql.all(
        `SELECT w.kind AS of, i.key, i.position, i.at, i.expires_at, i.type, i.ref, i.body,
           (SELECT max(position) FROM item AS l WHERE l.ns = :ns AND l.kind = w.kind) AS last
         FROM ${sql.dialect.rows('ids', { kind: 'text', key: 'text' })} AS w
         LEFT JOIN item AS i ON i.ns = :ns AND i.kind = w.kind AND i.key = w.key`,
        { ns, ids },
      ),
    () => assertRefsAreFree(sql, ns, edits),
  ]);
  const present = found.filter(
    ({ key, expires_at }) => key !== null && Number(expires_at ?? Infinity) > expiredBy,
  );
  return {
    rows: new Map(
      present.map(({ of, last: _, ...row }) => [nameOf(of, row['key']), { ns, kind: of!, ...row }]),
    ),
    last: new Map(found.map((row) => [String(row['of']), Number(row['last'])])),
  };
}

function isEdit(change: ItemChange): change is Edit {
  return 'put' in change || 'change' in change;
}

/** @param added rows of other items, whose keys are new */
export async function writeItems(
  sql: Sql,
  ns: number,
  given: readonly ItemChange[],
  before: ItemsBefore,
  added: readonly Row[] = [],
): Promise<void> {
  const changes = wellFormed(given);
  await sql.write('item', [...editedRows(ns, changes.filter(isEdit), before), ...added], 'replace');
  await sql.remove(
    'item',
    changes.flatMap((each) => ('remove' in each ? [{ ns, ...each.remove }] : [])),
  );
  for (const each of changes) await forget(sql, ns, each);
}

async function forget(sql: Sql, ns: number, change: ItemChange): Promise<void> {
  const excepted = 'except' in change ? { except: change.except } : {};
  const except = 'except' in excepted ? ` AND ${CONDITIONS.except}` : '';
  if ('forgetExpired' in change)
    await sql.change('DELETE FROM item WHERE ns = :ns AND expires_at <= :now', {
      ns,
      now: change.forgetExpired,
    });
  if ('forgetBefore' in change)
    await sql.change(`DELETE FROM item WHERE ns = :ns AND kind = :kind AND at < :before${except}`, {
      ...{ ns, kind: change.of, before: change.forgetBefore },
      ...excepted,
    });
  if (!('keepNewest' in change)) return;
  const order = ORDERS[change.by];
  const descending = order.map((column) => `${column} DESC`).join(', ');
  await sql.change(
    `DELETE FROM item WHERE ns = :ns AND kind = :kind AND (${order.join(', ')}) < (
       SELECT ${order.join(', ')} FROM item ${sql.dialect.index(`item_${change.by}`)} WHERE ns = :ns AND kind = :kind
       ORDER BY ${descending} LIMIT 1 OFFSET :keep - 1)${except}`,
    { ns, kind: change.of, keep: change.keepNewest, ...excepted },
  );
}

/** The rows that a batch of puts and changes leaves, each once. */
function editedRows(ns: number, edits: readonly Edit[], before: ItemsBefore): Row[] {
  const [rows, last] = [new Map(before.rows), new Map(before.last)];
  const written = new Map<string, Row>();
  const nextPosition = (kind: string): number => {
    const position = (last.get(kind) ?? 0) + 1;
    last.set(kind, position);
    return position;
  };
  for (const edit of edits) {
    const row =
      'put' in edit ? putRow(ns, edit, rows, nextPosition) : changedRow(ns, edit, rows, nextPosition);
    if (row === null) continue;
    rows.set(nameOf(row['kind'], row['key']), row);
    written.set(nameOf(row['kind'], row['key']), row);
  }
  return [...written.values()];
}

function nameOf(kind: unknown, key: unknown): string {
  return JSON.stringify([kind, key]);
}

function putRow(
  ns: number,
  { put, ifExists = 'replace' }: Extract<Edit, { readonly put: unknown }>,
  rows: ReadonlyMap<string, Row>,
  nextPosition: (kind: string) => number,
): Row | null {
  const { kind, at, expiresAt = null } = put;
  assertSafeIntegers({ at, expiresAt });
  const before = put.key === null ? undefined : rows.get(nameOf(kind, put.key));
  if (before !== undefined && ifExists === 'skip') return null;
  if (before !== undefined && ifExists === 'fail') throw taken(put);
  return itemRow(ns, put, Number(before?.['position'] ?? nextPosition(kind)));
}

export function itemRow(ns: number, put: ItemDraft, position: number): Row {
  const { kind, at, expiresAt = null, type = null, ref = null, body } = put;
  const key = put.key ?? String(position);
  return { ns, kind, key, position, at, expires_at: expiresAt, type, ref, body: JSON.stringify(body) };
}

function changedRow(
  ns: number,
  { change, set, add = {}, initial, expected = {} }: Extract<Edit, { readonly change: unknown }>,
  rows: ReadonlyMap<string, Row>,
  nextPosition: (kind: string) => number,
): Row | null {
  const before = rows.get(nameOf(change.kind, change.key));
  if (before === undefined && initial === undefined) return null;
  const body = before === undefined ? { ...initial } : storedObject(before['body'], () => titleOf(change));
  for (const [field, value] of Object.entries(expected))
    if (!isDeepStrictEqual(body[field], value))
      throw new LociError('conflict', `${titleOf(change)} was changed meanwhile`);
  const sums = Object.entries(add).map(([field, value]): [string, Json] => [
    field,
    Number(body[field] ?? 0) + value,
  ]);
  const text = JSON.stringify({ ...body, ...set, ...Object.fromEntries(sums) });
  if (before !== undefined) return { ...before, body: text };
  const position = nextPosition(change.kind);
  return { ns, ...change, position, at: 0, expires_at: null, type: null, ref: null, body: text };
}

/** No two items of a kind that must not exist yet have the same `ref`. */
async function assertRefsAreFree(sql: Sql, ns: number, edits: readonly Edit[]): Promise<void> {
  for (const edit of edits) {
    if (!('put' in edit) || edit.ifExists !== 'fail' || typeof edit.put.ref !== 'string') continue;
    const { kind, ref } = edit.put;
    const other = await sql.get('SELECT key FROM item WHERE ns = :ns AND kind = :kind AND ref = :ref', {
      ns,
      kind,
      ref,
    });
    if (other !== undefined) throw taken(edit.put);
  }
}

/** @throws LociError `conflict` for an item that is there */
export function assertFree(item: ItemId, { rows }: ItemsBefore): void {
  if (rows.has(nameOf(item.kind, item.key))) throw taken(item);
}

function taken({ kind, key }: Pick<ItemDraft, 'kind' | 'key'>): LociError {
  return new LociError('conflict', `a ${kind} with the id ${key ?? ''} or the same hash already exists`);
}

function titleOf({ kind, key }: ItemId): string {
  return `the ${kind.replaceAll('_', ' ')} ${key}`;
}
