/** The fields of front matter that say when a note was created. The field `date` may also be the day of a coming event. */
export const CREATED_FIELDS: readonly string[] = [
  'created',
  'created_at',
  'created-at',
  'date created',
  'creation date',
];
