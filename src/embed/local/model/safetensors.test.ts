import { describe, expect, it } from 'vitest';
import { headerBytes, Safetensors } from './weights.ts';

function fileOf(header: object, data: number): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + data);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  return bytes;
}

const header = {
  a: { dtype: 'F16', shape: [2, 3], data_offsets: [4, 16] },
  b: { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
};

describe('Safetensors', () => {
  it('finds a tensor after the header', () => {
    const bytes = fileOf(header, 16);
    expect(new Safetensors(bytes).offsetOf('a', [2, 3])).toBe(headerBytes(bytes) + 4);
  });

  it('throws an error that names a tensor that is missing or has another shape or type', () => {
    const file = new Safetensors(fileOf(header, 16));
    expect(() => file.offsetOf('c', [1])).toThrow('c should be F16 [1], found nothing');
    expect(() => file.offsetOf('a', [3, 2])).toThrow('a should be F16 [3, 2], found F16 [2, 3]');
    expect(() => file.offsetOf('b', [1])).toThrow('found F32 [1]');
  });

  it('refuses a file that ends early', () => {
    const bytes = fileOf(header, 16);
    expect(() => new Safetensors(bytes.subarray(0, bytes.length - 1)).offsetOf('a', [2, 3])).toThrow(
      'ends early',
    );
    expect(() => new Safetensors(bytes.subarray(0, 20))).toThrow('not a safetensors file');
  });
});
