import { HIDDEN_SIZE, ROW_BYTES } from './shape.as.ts';
import { add, mul, splat, sub, sumLanes } from './simd.as.ts';

const EPSILON: f32 = 1e-12;

/** Layer normalisation of `rows` rows of 384, in place: mean 0, variance 1, then gain and shift. */
export function layerNorm(x: usize, rows: i32, gain: usize, shift: usize): void {
  for (let m = 0; m < rows; m++) {
    let sum = splat(0);
    for (let k: usize = 0; k < ROW_BYTES; k += 16) sum = add(sum, v128.load(x + k));
    const mean = splat(sumLanes(sum) / <f32>HIDDEN_SIZE);
    let squares = splat(0);
    for (let k: usize = 0; k < ROW_BYTES; k += 16) {
      const distance = sub(v128.load(x + k), mean);
      squares = add(squares, mul(distance, distance));
    }
    const inverse = splat(<f32>1 / sqrt<f32>(sumLanes(squares) / <f32>HIDDEN_SIZE + EPSILON));
    for (let k: usize = 0; k < ROW_BYTES; k += 16) {
      const normal = mul(sub(v128.load(x + k), mean), inverse);
      v128.store(x + k, add(mul(normal, v128.load(gain + k)), v128.load(shift + k)));
    }
    x += ROW_BYTES;
  }
}
