import { LociError } from './errors.ts';

/** The first Node whose `node:sqlite` and threads Loci can rely on. */
export const REQUIRED_NODE = 24;

/** @throws LociError `unsupported_runtime` when this Node is older, before it fails on what it does not have */
export function assertSupportedNode(node: string = process.versions.node): void {
  if (Number.parseInt(node, 10) >= REQUIRED_NODE) return;
  throw new LociError(
    'unsupported_runtime',
    `Loci needs Node ${String(REQUIRED_NODE)} or newer; this is Node ${node}`,
  );
}
