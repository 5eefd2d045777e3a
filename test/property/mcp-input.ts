import fc from 'fast-check';

/** The part of JSON Schema that the inputs of operations use. */
export interface InputSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly InputSchema[];
  readonly properties?: Readonly<Record<string, InputSchema>>;
  readonly required?: readonly string[];
  readonly items?: InputSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
}

/** Words of the example vault, citations, dates, and hostile text. */
const text = fc.oneof(
  fc.constantFrom(
    'oven',
    'kitchen',
    'Home/Kitchen remodel.md',
    'record/1',
    '2026-09-14',
    'last week',
    'home',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom('\u0000', '\ud800', '"', '*', '(', ' OR ', '~', '\n', '%', "'", 'é'),
    maxLength: 12,
  }),
  fc.constant('x'.repeat(100_000)),
);

/** Values that the schema allows, for the supported part of JSON Schema. */
export function validOf(schema: InputSchema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(validOf));
  const { minimum: min = -1000, maximum: max = 1000 } = schema;
  switch (schema.type) {
    case 'string':
      return text;
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'integer':
      return fc.integer({ min, max });
    case 'number':
      return fc.double({ min, max, noNaN: true });
    case 'array':
      return fc.array(validOf(schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 4, 4) });
    case 'object':
      return objectOf(schema, validOf);
    default:
      return fc.jsonValue();
  }
}

/** Objects with wrong types, numbers out of range and unknown fields. */
export function invalidOf(schema: InputSchema): fc.Arbitrary<Record<string, unknown>> {
  const field = (inner: InputSchema): fc.Arbitrary<unknown> =>
    fc.oneof(validOf(inner), fc.jsonValue(), fc.constantFrom(-1, 1e308, '', [], {}, null, [[[]]], '\u0000'));
  return fc
    .tuple(
      objectOf(schema, field),
      fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue(), { maxKeys: 2 }),
    )
    .map(([known, unknown]) => ({ ...known, ...unknown }));
}

function objectOf(
  { properties = {}, required = [] }: InputSchema,
  valueOf: (schema: InputSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, valueOf(inner)]),
  );
  return fc.record(fields, { requiredKeys: [...required] });
}
