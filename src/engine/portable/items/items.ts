import type { AuditEntry, HistoryDraft, StartupEntry } from '../../../store/admin-model.ts';
import type { GoldenQuery, Label } from '../../../store/item-model.ts';
import { audit } from './audit.ts';
import { goldenQuery } from './golden-query.ts';
import { history } from './history.ts';
import type { ExportedRecord, ItemType } from './item-type.ts';
import { label } from './label.ts';
import { record } from './record.ts';
import { startup } from './startup.ts';

/** What an export has of each type. */
interface ItemValues {
  readonly startup: StartupEntry;
  readonly record: ExportedRecord;
  readonly label: Label;
  readonly golden_query: GoldenQuery;
  readonly audit: AuditEntry;
  readonly history: HistoryDraft;
}

export type ItemTypeName = keyof ItemValues;

/** The types of items, in the order of every export. */
const ITEM_TYPES: { readonly [Type in ItemTypeName]: ItemType<ItemValues[Type]> } = {
  startup,
  record,
  label,
  golden_query: goldenQuery,
  audit,
  history,
};
export const ITEM_TYPE_NAMES = Object.keys(ITEM_TYPES) as ItemTypeName[];

export type ExportItem = {
  [Type in ItemTypeName]: { readonly type: Type; readonly value: ItemValues[Type] };
}[ItemTypeName];

/** The entry of the table for a type, for code that treats the values of all types alike. */
export function itemType(type: ItemTypeName): ItemType<ExportItem['value']> {
  return ITEM_TYPES[type];
}

export function formatLine({ type, value }: ExportItem): string {
  return JSON.stringify({ type, ...itemType(type).format.fields(value) });
}

/** Validates the fields of a line of this type. Returns the item, or a message that says what is wrong. */
export function parseItem(type: string, fields: unknown): ExportItem | string {
  const name = ITEM_TYPE_NAMES.find((each) => each === type);
  if (name === undefined)
    return `this version knows no lines of the type ${JSON.stringify(type.slice(0, 60))}`;
  const value = itemType(name).format.parse(fields);
  return typeof value === 'string' ? value : ({ type: name, value } as ExportItem);
}
