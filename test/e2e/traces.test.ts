import { SpanKind } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { loci, MAIN, temporaryFolder } from './loci-command.ts';
import { recordSpans } from './recorded-spans.ts';

it('a host that has OpenTelemetry gets a span of each operation, with those of its calls of the store, without texts', async () => {
  const home = temporaryFolder();
  await loci(['config', 'init'], { home });
  const spans = await recordSpans(MAIN, home, ['write', 'The xylophone is in the cellar.']);
  expect(spans).toContainEqual({
    ...{ name: 'memory_write', kind: SpanKind.INTERNAL, parent: null },
    ...{ attributes: {}, failed: false },
  });
  expect(spans).toContainEqual({
    ...{ name: 'records.commit', kind: SpanKind.CLIENT, parent: 'memory_write' },
    ...{ attributes: { 'db.system.name': 'sqlite', 'db.operation.name': 'records.commit' }, failed: false },
  });
  const searched = await recordSpans(MAIN, home, ['search', 'xylophone']);
  expect(searched.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['search.retrieve', 'memory_search']),
  );
  expect(JSON.stringify([spans, searched])).not.toMatch(/xylophone|cellar/);
});

it('an operation that fails has the code of its error, not its message', async () => {
  const home = temporaryFolder();
  await loci(['config', 'init'], { home });
  const spans = await recordSpans(MAIN, home, ['get', 'record/4711']);
  const span = spans.find(({ name }) => name === 'memory_get');
  expect(span).toMatchObject({ failed: true, attributes: { 'error.type': 'not_found' } });
  expect(JSON.stringify(spans)).not.toContain('4711');
});
