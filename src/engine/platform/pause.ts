/** Resolves once other work that is waiting has had its turn. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
