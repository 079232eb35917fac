/** Returns the slope of the least-squares line through points; 0 for fewer than two points. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  let [sum, squares] = [0, 0];
  for (const [x, y] of points) {
    sum += (x - meanX) * (y - meanY);
    squares += (x - meanX) ** 2;
  }
  return squares > 0 ? sum / squares : 0;
}
