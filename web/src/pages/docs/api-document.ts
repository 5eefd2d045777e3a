/** The parts of the OpenAPI document that the page shows. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface PathItem {
  readonly post?: DescribedOperation;
  readonly get?: DescribedOperation;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: Schema; readonly examples?: Examples }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >;
}

type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly additionalProperties?: boolean | Schema;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** An operation as the page shows it. */
export interface ApiOperation {
  readonly id: string;
  readonly path: string;
  readonly methods: string;
  readonly summary: string;
  readonly description: string;
  readonly scope: string;
  /** Whether tokens are refused. */
  readonly isOfPage: boolean;
  readonly input: Schema | null;
  readonly output: Schema | null;
  readonly examples: readonly { readonly title: string; readonly body: unknown }[];
  /** What a search looks at, in lower case. */
  readonly text: string;
}

const JSON_TYPE = 'application/json';

export function operationsOf({ paths, components }: ApiDocument): ApiOperation[] {
  return Object.entries(paths).flatMap(([path, item]) => {
    const described = item.post ?? item.get;
    if (described === undefined) return [];
    const { operationId: id, summary, description, tags, security, requestBody, responses } = described;
    const body = requestBody?.content[JSON_TYPE];
    const input = body?.schema === undefined ? null : resolved(body.schema, components.schemas);
    const fields = Object.entries(input?.properties ?? {});
    const words = fields.flatMap(([name, field]) => [name, field.description ?? '']);
    return [
      {
        id,
        path,
        methods: [
          ...(item.get === undefined ? [] : ['GET']),
          ...(item.post === undefined ? [] : ['POST']),
        ].join(', '),
        summary,
        description,
        scope: tags[0] ?? '',
        isOfPage: security?.some((each) => 'page' in each) === true,
        input,
        output: responses['200']?.content?.[JSON_TYPE]?.schema ?? null,
        examples: Object.values(body?.examples ?? {}).map(({ summary: title, value }) => ({
          title,
          body: value,
        })),
        text: [path, id, summary, description, ...words].join('\n').toLowerCase(),
      },
    ];
  });
}

type Schemas = ApiDocument['components']['schemas'];

/** The schema that a reference names. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return (name === undefined ? undefined : schemas[name]) ?? schema;
}

/** `"a" | "b"`, `integer from 1 to 500`, `list of text`. */
export function typeText(schema: Schema, schemas: Schemas): string {
  const {
    type,
    items,
    anyOf,
    oneOf,
    enum: values,
    const: value,
    format,
    minimum,
    maximum,
  } = resolved(schema, schemas);
  if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(' | ');
  if (value !== undefined) return JSON.stringify(value);
  const options = anyOf ?? oneOf;
  if (options !== undefined) return [...new Set(options.map((each) => typeText(each, schemas)))].join(' | ');
  if (type === 'array') return `list of ${items === undefined ? 'any' : typeText(items, schemas)}`;
  const name = typeof type === 'string' ? type : (type?.join(' | ') ?? 'any');
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  const range = [
    ...(minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? [] : [`from ${String(minimum)}`]),
    ...(isBounded ? [`to ${String(maximum)}`] : []),
  ];
  return [format ?? name, ...range].join(' ');
}

/** The schema whose fields a value of this one has: itself, that of the items of a list, or the object among alternatives. */
export function objectIn(schema: Schema, schemas: Schemas): Schema | null {
  const own = resolved(schema, schemas);
  if (own.properties !== undefined) return own;
  if (own.items !== undefined) return objectIn(own.items, schemas);
  for (const option of own.anyOf ?? own.oneOf ?? []) {
    const found = objectIn(option, schemas);
    if (found !== null) return found;
  }
  if (typeof own.additionalProperties === 'object') return objectIn(own.additionalProperties, schemas);
  return null;
}

/** The request as a command for a shell. */
export function curl(origin: string, { path }: ApiOperation, body: unknown): string {
  const json = JSON.stringify(body).replaceAll("'", `'\\''`);
  return [
    `curl ${origin}${path} \\`,
    `  -H "Authorization: Bearer $LOCI_TOKEN" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${json}'`,
  ].join('\n');
}
