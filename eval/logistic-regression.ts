/** One observation: its features, whether the outcome occurred, and how much it counts. */
export interface Observation {
  readonly features: readonly number[];
  readonly outcome: boolean;
  /** Positive. */
  readonly weight: number;
}

/** The log odds are `intercept` + the sum of `coefficients` × features. */
interface FittedRegression {
  readonly intercept: number;
  readonly coefficients: readonly number[];
}

/** On features scaled to a standard deviation of 1, so that no feature is penalised for its unit. */
const RIDGE = 1e-3;
const MAX_STEPS = 50;
const CONVERGED = 1e-8;

/** Logistic regression with a ridge penalty, by Newton's method (Hastie, Tibshirani & Friedman 2009, section 4.4.1). */
export function fitLogisticRegression(observations: readonly Observation[]): FittedRegression {
  const total = observations.reduce((sum, { weight }) => sum + weight, 0);
  const size = observations[0]?.features.length ?? 0;
  const indices = Array.from({ length: size }, (_, i) => i);
  const weightedMean = (valueOf: (observation: Observation) => number): number =>
    observations.reduce((sum, each) => sum + each.weight * valueOf(each), 0) / total;
  const means = indices.map((i) => weightedMean(({ features }) => features[i]!));
  const deviations = indices.map((i) => {
    const variance = weightedMean(({ features }) => (features[i]! - means[i]!) ** 2);
    // A feature that is the same everywhere gets the coefficient 0.
    return Math.sqrt(variance) || 1;
  });
  const rows = observations.map(({ features, outcome, weight }) => ({
    x: [...indices.map((i) => (features[i]! - means[i]!) / deviations[i]!), 1],
    y: outcome ? 1 : 0,
    weight: weight / total,
  }));
  const beta = new Array<number>(size + 1).fill(0);
  for (let step = 0; step < MAX_STEPS; step++) {
    const gradient = beta.map((value, i) => (i < size ? RIDGE * value : 0));
    const hessian = beta.map((_, i) => beta.map((__, j) => (i === j ? (i < size ? RIDGE : 1e-9) : 0)));
    for (const { x, y, weight } of rows) {
      const p = 1 / (1 + Math.exp(-x.reduce((sum, value, i) => sum + value * beta[i]!, 0)));
      for (const [i, a] of x.entries()) {
        gradient[i]! += weight * (p - y) * a;
        for (const [j, b] of x.entries()) hessian[i]![j]! += weight * p * (1 - p) * a * b;
      }
    }
    const change = solve(hessian, gradient);
    for (const [i, by] of change.entries()) beta[i]! -= by;
    if (change.every((by) => Math.abs(by) < CONVERGED)) break;
  }
  const coefficients = indices.map((i) => beta[i]! / deviations[i]!);
  const shift = indices.reduce((sum, i) => sum + coefficients[i]! * means[i]!, 0);
  return { intercept: beta[size]! - shift, coefficients };
}

/** Solves a system of linear equations by Gaussian elimination with partial pivoting. */
function solve(matrix: readonly (readonly number[])[], values: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, values[i]!]);
  for (let column = 0; column < rows.length; column++) {
    const pivot = rows.slice(column).reduce((a, b) => (Math.abs(b[column]!) > Math.abs(a[column]!) ? b : a));
    const at = rows.indexOf(pivot);
    [rows[column], rows[at]] = [pivot, rows[column]!];
    for (const row of rows.slice(column + 1)) {
      const factor = row[column]! / pivot[column]!;
      for (let i = column; i < row.length; i++) row[i]! -= factor * pivot[i]!;
    }
  }
  const solution = new Array<number>(rows.length).fill(0);
  for (let i = rows.length - 1; i >= 0; i--) {
    const known = solution.reduce((sum, value, j) => (j > i ? sum + rows[i]![j]! * value : sum), 0);
    solution[i] = (rows[i]![rows.length]! - known) / rows[i]![i]!;
  }
  return solution;
}
