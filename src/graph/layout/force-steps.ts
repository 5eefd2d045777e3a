import iterate from 'graphology-layout-forceatlas2/iterate.js';

/** Numbers of a node in the matrix of ForceAtlas2: x, y, four of its movement, mass, convergence, size, fixed. */
export const NODE_WIDTH = 10;
/** With fewer nodes, comparing each with each is as fast as a tree of regions. */
const MIN_TREE_NODES = 500;

/**
 * So many steps of the layout ForceAtlas2 (Jacomy et al. 2014), which moves the nodes and keeps all of its state in their matrix. A
 * step takes n log n time, and no step is random.
 */
export function forceSteps(nodes: Float32Array, edges: Float32Array, steps: number): Float32Array {
  const count = nodes.length / NODE_WIDTH;
  const settings = {
    linLogMode: false,
    outboundAttractionDistribution: false,
    adjustSizes: false,
    edgeWeightInfluence: 1,
    scalingRatio: 10,
    strongGravityMode: true,
    gravity: 0.05,
    slowDown: 1 + Math.log(count),
    barnesHutOptimize: count >= MIN_TREE_NODES,
    barnesHutTheta: 0.8,
  };
  for (let step = 0; step < steps; step++) iterate(settings, nodes, edges);
  return nodes;
}
