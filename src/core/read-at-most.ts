/** Reads a stream to its end, or until it has more than `maxBytes`; only what came before is returned then. @throws what the stream throws */
export async function readAtMost(
  stream: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer<ArrayBuffer>; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += Buffer.byteLength(chunk);
    if (length > maxBytes) return { bytes: Buffer.concat(chunks), isWhole: false };
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
