import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Which files begin first: those of e2e, and then what mostly waits, which would be left over at the end. */
const ORDER = [/\/test\/e2e\//, /\/test\/simulation\/|\/stalled\.test\.ts$/];

/** Without a record of how long files take, vitest begins with the largest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = ORDER.findIndex((pattern) => pattern.test(moduleId));
      return found < 0 ? ORDER.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
