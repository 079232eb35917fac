import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Patterns of the test files that start first: e2e tests, then the simulation. If these slow files started last, they
 * would run alone at the end. The files of a project run one after the other, because a change of project starts a new
 * process, which loads all modules again. In workerd, the file that mostly waits comes first.
 */
const ORDER: ((file: TestSpecification) => boolean)[] = [
  ({ project }) => project.name === "e2e",
  ({ project }) => project.name === "simulation",
  ({ moduleId }) => moduleId.endsWith("/stalled.test.ts"),
  ({ project }) => project.name === "worker",
];

/** Starts slow test files first. Without recorded durations, vitest would start the largest files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = (file: TestSpecification) => {
      const found = ORDER.findIndex((isIn) => isIn(file));
      return found < 0 ? ORDER.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
