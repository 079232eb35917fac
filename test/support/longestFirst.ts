import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Patterns of the test files that start first: e2e tests, then tests that mostly wait. If these slow files started
 * last, they would run alone at the end.
 */
const ORDER = [/\/test\/e2e\//, /\/test\/simulation\/|\/stalled\.test\.ts$/];

/** Starts slow test files first. Otherwise, if no durations are recorded, vitest starts the largest files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = ORDER.findIndex((pattern) => pattern.test(moduleId));
      return found < 0 ? ORDER.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
