import type { TaskRunner } from '../../core/threads/task-thread.ts';
import type { Step } from '../../graph/walk.ts';
import { TextMask } from '../../secrets/detect.ts';
import type { GraphEdge, GraphNode } from '../../store/graph-model.ts';

/** Masks the credentials in what an answer shows of the graph: titles, tags and reasons. Ids and citations stay, because calls take them. */
export class GraphMask {
  readonly texts: TextMask;
  /** The same edge stays the same object, by which its place is found. */
  readonly #edges = new Map<GraphEdge, Promise<GraphEdge>>();

  constructor(thread: TaskRunner) {
    this.texts = new TextMask(thread);
  }

  async node(node: GraphNode): Promise<GraphNode> {
    const [title, tags] = await Promise.all([this.texts.text(node.title), this.texts.texts(node.tags)]);
    return { ...node, title, tags };
  }

  edge(edge: GraphEdge): Promise<GraphEdge> {
    const known = this.#edges.get(edge);
    if (known !== undefined) return known;
    const masked = this.texts.text(edge.reason).then((reason) => ({ ...edge, reason }));
    this.#edges.set(edge, masked);
    return masked;
  }

  async steps(steps: readonly Step[]): Promise<Step[]> {
    return Promise.all(
      steps.map(async ({ edge, from, to, forwards }) => ({
        edge: await this.edge(edge),
        from: await this.node(from),
        to: await this.node(to),
        forwards,
      })),
    );
  }
}
