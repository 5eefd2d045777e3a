/**
 * The area under the ROC curve (Mann & Whitney 1947): the share of pairs in which the first is larger; a pair of equal numbers
 * counts ½. 0 without pairs.
 */
export function rocArea(positive: readonly number[], negative: readonly number[]): number {
  const sorted = negative.toSorted((a, b) => a - b);
  const won = positive.reduce((sum, high) => {
    const below = lowerBound(sorted, (low) => low < high);
    const upTo = lowerBound(sorted, (low) => low <= high);
    return sum + (below + upTo) / 2;
  }, 0);
  return positive.length * negative.length === 0 ? 0 : won / (positive.length * negative.length);
}

/** The number of elements at the beginning of the sorted list that have the property. */
function lowerBound(sorted: readonly number[], isBefore: (value: number) => boolean): number {
  let [from, until] = [0, sorted.length];
  while (from < until) {
    const middle = (from + until) >> 1;
    if (isBefore(sorted[middle]!)) from = middle + 1;
    else until = middle;
  }
  return from;
}
