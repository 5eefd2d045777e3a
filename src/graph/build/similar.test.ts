import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { embed, note, NOW, unit, write } from '../../../test/contract/store-samples.ts';
import { temporaryFolder } from '../../../test/contract/engines.ts';
import { ALL } from '../../../test/contract/written-samples.ts';
import { TaskThread } from '../../core/threads/task-thread.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { openStore } from '../../store/registry.ts';
import type { Store } from '../../store/store.ts';
import { deriveGraph } from './derive.ts';
import { deriveSimilar } from './similar.ts';

const NAMESPACE = 'n';

/** Texts are angles in degrees: `30` and `40` are similar. */
function vectorOf(text: string): Float32Array {
  const angle = (Number(text) * Math.PI) / 180;
  return unit(Math.cos(angle), Math.sin(angle), 0);
}

class Angles implements AsyncDisposable {
  readonly store: Store;
  readonly #folder: AsyncDisposable;
  readonly #thread = new TaskThread();
  #generation = 0;

  private constructor(store: Store, folder: AsyncDisposable) {
    this.store = store;
    this.#folder = folder;
  }

  static async open(): Promise<Angles> {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'loci.db');
    return new Angles(await openStore({ path }, { create: true }), folder);
  }

  async write(...angles: readonly number[]): Promise<void> {
    this.#generation ||= (
      await this.store.vectors.setGeneration(ADMIN_NAMESPACE, {
        add: { provider: 't', model: 'm', dimensions: 3 },
      })
    ).id;
    await write(
      this.store,
      NAMESPACE,
      ...angles.map((angle) => note(String(angle), { title: String(angle) })),
    );
    await embed(this.store, this.#generation, NAMESPACE, vectorOf);
  }

  /** The pairs of similar records, as `10~20`. */
  async pairs(): Promise<string[]> {
    const thread = this.#thread.ownedBy('test');
    const options = { store: this.store, namespace: NAMESPACE, now: NOW, thread, types: {} };
    await deriveGraph(options);
    await deriveSimilar(options, this.#generation);
    const nodes = await this.store.graph.nodes(NAMESPACE, { page: ALL });
    const titles = new Map(nodes.map(({ id, title }) => [id, Number(title)]));
    const edges = (await this.store.graph.edges(NAMESPACE, {}, ALL)).filter(
      ({ type }) => type === 'similar_to',
    );
    const directed = edges.map(({ src, dst }) => [titles.get(src)!, titles.get(dst)!] as const);
    for (const [a, b] of directed) expect(directed).toContainEqual([b, a]);
    return directed
      .filter(([a, b]) => a < b)
      .map(([a, b]) => `${String(a)}~${String(b)}`)
      .sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.close();
    await this.store.close();
    await this.#folder[Symbol.asyncDispose]();
  }
}

describe('similar records', () => {
  it('are among the nearest of each other, and not below the threshold', async () => {
    await using angles = await Angles.open();
    await angles.write(0, 20, 100);
    expect(await angles.pairs()).toEqual(['0~20']);
    await angles.write(60, 101);
    expect(await angles.pairs()).toEqual(['0~20', '100~101', '20~60', '60~100', '60~101']);
  });

  it('are five at most for each, and the same as after a rebuild when nearer ones are added', async () => {
    await using angles = await Angles.open();
    await angles.write(0, 10, 20, 30, 40, 50);
    const before = await angles.pairs();
    expect(before).toContain('0~50');
    await angles.write(1, 2, 3);
    const after = await angles.pairs();
    expect(after).not.toContain('0~50');
    const degrees = new Map<string, number>();
    for (const angle of after.flatMap((pair) => pair.split('~')))
      degrees.set(angle, (degrees.get(angle) ?? 0) + 1);
    expect(Math.max(...degrees.values())).toBe(5);
    await using fresh = await Angles.open();
    await fresh.write(0, 10, 20, 30, 40, 50, 1, 2, 3);
    expect(await fresh.pairs()).toEqual(after);
  });

  it('end when one is removed', async () => {
    await using angles = await Angles.open();
    await angles.write(0, 10, 20);
    expect(await angles.pairs()).toEqual(['0~10', '0~20', '10~20']);
    await angles.store.records.commit(NAMESPACE, { evictions: [1] });
    expect(await angles.pairs()).toEqual(['10~20']);
  });
});
