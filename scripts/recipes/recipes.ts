import { type Edit, insertAfter, replace } from "./edits.ts";
import type { Reds } from "./replay.ts";

/**
 * A change that the table "Where to change what" in ARCHITECTURE.md describes, made step by step as a newcomer would
 * make it.
 */
export interface Recipe {
  /** Text of the first cell of the row that describes the change in ARCHITECTURE.md. */
  change: string;
  /** Test files that run after each step. */
  tests: string[];
  /** Steps of the change. After the last step, all type checks and tests must pass. */
  steps: RecipeStep[];
}

export interface RecipeStep {
  what: string;
  edits: Edit[];
  /** Scripts to run after the edits. */
  programs?: string[];
  /** The files whose type check or tests must fail after this step. All other files must pass. */
  red: Reds;
}

export const GREEN: Reds = { types: [], tests: [] };

const TEMPLATE: Recipe = {
  change: "a template",
  tests: [
    "test/e2e/contrast.test.ts",
    "test/e2e/docs.test.ts",
    "test/engine/marks/appearance.test.ts",
    "test/engine/marks/pdfa.test.ts",
    "test/http/watermark.test.ts",
    "test/mcp/prompts.test.ts",
    "test/mcp/server.test.ts",
    "test/site/home.test.ts",
  ],
  steps: [
    {
      what: "a row that is too faint",
      edits: [
        replace(
          "src/engine/marks/templates.ts",
          "  outline: {\n",
          `  banner: {
    description: "One line of bold letters at the top.",
    position: "top",
    weight: "bold",
    color: "#a0a0a0",
    sizeShare: 0.03,
    maxDepth: 0.2,
  },
  outline: {
`,
        ),
      ],
      red: {
        types: [],
        tests: [
          "test/e2e/contrast.test.ts",
          "test/e2e/docs.test.ts",
          "test/mcp/prompts.test.ts",
          "test/site/home.test.ts",
        ],
      },
    },
    {
      what: "its contrast, picture, documents and test",
      edits: [
        replace("src/engine/marks/templates.ts", "#a0a0a0", "#000000"),
        insertAfter("docs/text-marks.md", "`stamp` `sidebar`", " `banner`"),
        replace(
          "docs/text-marks.md",
          "| `outline` |",
          "| `banner` | one bold line | `top` | 0 | `#000000` |\n| `outline` |",
        ),
        replace(
          "docs/text-marks.md",
          "| `header`, `footer`, `sidebar` |",
          "| `header`, `footer`, `sidebar`, `banner` |",
        ),
        insertAfter(
          "docs/prompts.md",
          '"template": "outline"}` |\n',
          '| MINUTES as a banner | `add_text_watermark` | `{"text": "MINUTES", "template": "banner"}` |\n',
        ),
        insertAfter(
          "test/engine/marks/appearance.test.ts",
          "test.each<[Parameters<typeof appearanceOf>[0], object]>([\n",
          '  [{ template: "banner" }, { position: "top", rotation: 0, maxDepth: 0.2 }],\n',
        ),
      ],
      programs: ["scripts/drawPictures.ts"],
      red: GREEN,
    },
  ],
};

const POSITION: Recipe = {
  change: "a position",
  tests: [
    "test/e2e/docs.test.ts",
    "test/engine/marks/geometry.test.ts",
    "test/http/openapi.test.ts",
    "test/http/watermark.test.ts",
    "test/mcp/server.test.ts",
    "test/site/home.test.ts",
  ],
  steps: [
    {
      what: "a row among the nine places of the page's picker",
      edits: [
        insertAfter(
          "src/engine/marks/positions.ts",
          "  right: { x: 1, y: 0.5 },\n",
          '  "lower-middle": { x: 0.5, y: 0.25 },\n',
        ),
      ],
      red: {
        types: ["src/engine/marks/positions.ts"],
        tests: ["test/e2e/docs.test.ts", "test/site/home.test.ts"],
      },
    },
    {
      what: "the row at the end, its type and documents",
      edits: [
        replace("src/engine/marks/positions.ts", '  "lower-middle": { x: 0.5, y: 0.25 },\n', ""),
        insertAfter(
          "src/engine/marks/positions.ts",
          "  diagonal: { x: 0.5, y: 0.5, alongDiagonal: true },\n",
          '  "lower-middle": { x: 0.5, y: 0.25 },\n',
        ),
        replace("src/engine/marks/positions.ts", "readonly y: 0 | 0.5 | 1;", "readonly y: 0 | 0.25 | 0.5 | 1;"),
        insertAfter("docs/text-marks.md", "`bottom-right` `tile` `diagonal`", " `lower-middle`"),
      ],
      red: GREEN,
    },
  ],
};

const FIELD: Recipe = {
  change: "a field",
  tests: [
    "test/e2e/cliDocs.test.ts",
    "test/e2e/docs.test.ts",
    "test/engine/marks/appearance.test.ts",
    "test/http/fieldErrors.test.ts",
    "test/http/openapi.test.ts",
    "test/http/watermark.test.ts",
    "test/mcp/prompts.test.ts",
    "test/mcp/tools.test.ts",
    "test/service/request/fieldKinds.test.ts",
    "test/service/request/jsonSchema.test.ts",
    "test/site/docs.test.ts",
    "test/site/home.test.ts",
  ],
  steps: [
    {
      what: "a boolean in the schema alone",
      edits: [
        replace(
          "src/service/request/schemas.ts",
          `    color: z
      .string({`,
          `    bold: z.boolean().default(false).describe("Whether letters are bold in every template."),
    color: z
      .string({`,
        ),
      ],
      red: {
        types: ["src/service/request/marks.ts"],
        tests: [
          "test/e2e/cliDocs.test.ts",
          "test/e2e/docs.test.ts",
          "test/mcp/prompts.test.ts",
          "test/service/request/jsonSchema.test.ts",
        ],
      },
    },
    {
      what: "its example, option, use, documents and test",
      edits: [
        replace(
          "src/service/request/schemas.ts",
          '.describe("Whether letters are bold in every template."),',
          '.meta({ description: "Whether letters are bold in every template.", examples: [true] }),',
        ),
        replace(
          "src/engine/options.ts",
          "  /** Color as `#rrggbb`. */\n",
          `  /** Whether letters are bold in every template. */
  bold?: boolean | undefined;
  /** Color as \`#rrggbb\`. */
`,
        ),
        replace(
          "src/engine/marks/appearance.ts",
          "weight: template.weight,",
          'weight: mark.bold ? "bold" : template.weight,',
        ),
        insertAfter(
          "test/engine/marks/appearance.test.ts",
          "test.each<[Parameters<typeof appearanceOf>[0], object]>([\n",
          '  [{ template: "header", bold: true }, { weight: "bold" }],\n',
        ),
        replace(
          "docs/text-marks.md",
          "| `color` |",
          "| `bold` | whether letters are bold in every template | | `false` |\n| `color` |",
        ),
        replace("docs/cli.md", "`--color`,", "`--bold`, `--no-bold`, `--color`,"),
        insertAfter(
          "docs/prompts.md",
          '"template": "outline"}` |\n',
          '| COPY in bold at the bottom | `add_text_watermark` | `{"text": "COPY", "template": "footer", "bold": true}` |\n',
        ),
      ],
      red: GREEN,
    },
  ],
};

const NETWORK: Recipe = {
  change: "a network",
  tests: [
    "test/e2e/docs.test.ts",
    "test/service/about/offers.test.ts",
    "test/settings/config.test.ts",
    "test/site/chains.test.ts",
  ],
  steps: [
    {
      what: "the row of an EVM network alone",
      edits: [
        replace(
          "src/payments/wire/networks.ts",
          '  ...solana("solana", ',
          `  ...usdc("celo", 42220, "0xcebA9300f2b948710d2653dD7B07f33A8B32118C", "USDC", V2_ONLY),
  ...solana("solana", `,
        ),
      ],
      red: {
        types: ["src/payments/wire/networks.ts", "web/buying/chains.ts"],
        tests: ["test/settings/config.test.ts"],
      },
    },
    {
      what: "whether its money is real, its chain and the list for operators",
      edits: [
        insertAfter("src/payments/wire/networks.ts", "  monad: true,\n", "  celo: true,\n"),
        insertAfter("web/buying/chains.ts", "  baseSepolia,\n", "  celo,\n"),
        replace("web/buying/chains.ts", "  monad,\n};", "  monad,\n  celo,\n};"),
        replace(".dev.vars.example", " monad solana ", " monad celo solana "),
      ],
      red: GREEN,
    },
  ],
};

const PROBLEM: Recipe = {
  change: "a problem code",
  tests: [
    "test/app.test.ts",
    "test/e2e/docs.test.ts",
    "test/http/openapi.test.ts",
    "test/mcp/tools.test.ts",
    "test/shared/problems.test.ts",
    "test/site/docs.test.ts",
  ],
  steps: [
    {
      what: "the code in the engine alone",
      edits: [insertAfter("src/engine/errors.ts", '  | "xfa_not_supported"\n', '  | "no_pages"\n')],
      red: { types: ["src/shared/problems.ts"], tests: [] },
    },
    {
      what: "its status and title",
      edits: [
        replace(
          "src/shared/problems.ts",
          "\n  unsupported_image: {",
          `  no_pages: { status: 422, title: "The PDF has no pages" },

  unsupported_image: {`,
        ),
      ],
      red: { types: [], tests: ["test/e2e/docs.test.ts", "test/site/docs.test.ts"] },
    },
    {
      what: "its line in the documentation",
      edits: [
        replace(
          "docs/errors.md",
          "| `password_required` | 422 |",
          "| `no_pages` | 422 | The PDF has no pages. | Send a PDF with pages. |\n| `password_required` | 422 |",
        ),
      ],
      red: GREEN,
    },
  ],
};

const SETTING: Recipe = {
  change: "a setting",
  tests: ["test/e2e/docs.test.ts", "test/http/settings.test.ts", "test/settings/config.test.ts"],
  steps: [
    {
      what: "the row alone",
      edits: [
        insertAfter(
          "src/settings/schema.ts",
          "  MAX_PAGES: count(50_000, 1_000_000),\n",
          `  /** Time for marking the PDF and storing the result, in addition to fetching the file and the image. */
  WORK_SECONDS: count(60, 600),
`,
        ),
      ],
      red: { types: ["test/support/wrongSettings.ts"], tests: ["test/settings/config.test.ts"] },
    },
    {
      what: "its use, wrong values and the line for operators",
      edits: [
        replace(
          "src/settings/config.ts",
          `/** Time in seconds for marking the PDF and storing the result, in addition to fetching the file and the image. */
const COMPUTING_SECONDS = 60;

`,
          "",
        ),
        replace(
          "src/settings/config.ts",
          "2 * rest.FETCH_TIMEOUT_SECONDS + COMPUTING_SECONDS",
          "2 * rest.FETCH_TIMEOUT_SECONDS + rest.WORK_SECONDS",
        ),
        insertAfter(
          "test/support/wrongSettings.ts",
          "  MAX_PAGES: count(1_000_000),\n",
          "  WORK_SECONDS: count(600),\n",
        ),
        replace(
          ".dev.vars.example",
          "# FETCH_TIMEOUT_SECONDS=",
          '# WORK_SECONDS="60"                    # 1 to 600; time for marking a PDF and storing the result\n# FETCH_TIMEOUT_SECONDS=',
        ),
      ],
      red: GREEN,
    },
  ],
};

export const RECIPES: readonly Recipe[] = [TEMPLATE, POSITION, FIELD, NETWORK, PROBLEM, SETTING];
