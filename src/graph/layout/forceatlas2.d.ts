/** One step of ForceAtlas2. The package declares the types of its other modules only. */
declare module 'graphology-layout-forceatlas2/iterate.js' {
  export default function iterate(
    settings: Readonly<Record<string, number | boolean>>,
    nodes: Float32Array,
    edges: Float32Array,
  ): unknown;
}
