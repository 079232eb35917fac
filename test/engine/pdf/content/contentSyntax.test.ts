import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkContent } from "../../../../src/engine/pdf/content/contentSyntax.ts";

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const isWellFormed = (...parts: string[]) => checkContent(parts.map(bytesOf)).isWellFormed;

/**
 * Content before and after an operator, by the place in which the operator is allowed. The content makes the operator
 * legal.
 */
const AROUND = {
  page: ["", ""],
  pair: ["q BX /T BMC ", " EMC EX Q"],
  path: ["0 0 m ", " n"],
  painted: ["0 0 m ", ""],
  text: ["BT ", " ET"],
} as const;

/** Operands and operators of ISO 32000-2, Annex A, by the places in which they are allowed. */
const OPERATORS: [keyof typeof AROUND, string[]][] = [
  [
    "page",
    [
      ...["1 w", "0 J", "0 j", "9 M", "[] 0 d", "[3 1.5] 0 d", "/Perceptual ri", "50 i", "/G gs", "1 0 0 1 0 0 cm"],
      ...["/Cs CS", "/Cs cs", "0 SC", "0 0 0 0 sc", "0 0 SCN", "0 0 0 0 0 0 0 0 scn", "0 G", "0 g"],
      ...[
        "1 0 0 RG",
        "1 0 0 rg",
        "1 0 0 0 K",
        "1 0 0 0 k",
        "/Sh sh",
        "/Fm Do",
        "/T MP",
        "/T /MC DP",
        "/T <</A [1]>> DP",
      ],
      ...["1 Tc", "1 Tw", "90 Tz", "12 TL", "/F 12 Tf", "0 Tr", "1 Ts", "q 1 w Q", "BT ET", "BX EX", "/T BMC EMC"],
      ...["/T /MC BDC EMC", "/T <</MCID 0>> BDC EMC", "S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n"],
    ],
  ],
  ["path", ["1 1 m", "1 1 l", "1 1 2 2 3 3 c", "1 1 2 2 v", "1 1 2 2 y", "h", "1 1 2 2 re", "W", "W*"]],
  ["painted", ["S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n"]],
  ["text", ["9 9 Td", "9 9 TD", "1 0 0 1 9 9 Tm", "T*", "(a) Tj", "<41> '", '1 1 (a) "', "[(a) -20 <41>] TJ", "[] TJ"]],
];
const ROWS = OPERATORS.flatMap(([around, operators]) => operators.map((operator) => [operator, around] as const));
const VARIED = ROWS.filter(([operator]) => operator.split(" ").length > 1 && !/\b(Q|ET|EX|EMC)$/.test(operator));
/** Splits an operator and its operands into tokens. The operator is the last token. */
const tokensOf = (operator: string) => operator.match(/\[.*\]|<<.*>>|\S+/g)!;

describe("operators", () => {
  test.each(ROWS)("accepts the operator %s in a place where it is allowed: %s", (operator, around) => {
    const [before, after] = AROUND[around];
    expect(isWellFormed(before + operator + after)).toBe(true);
  });

  test.each(VARIED)("rejects content in which the operator %s has no operands", (operator, around) => {
    const [before, after] = AROUND[around];
    expect(isWellFormed(`${before}${tokensOf(operator).at(-1)}${after}`)).toBe(false);
  });

  test.each(VARIED.filter(([operator]) => !/(SC|sc|SCN|scn)$/.test(operator)))(
    "rejects content in which the operator %s has one operand too few or too many",
    (operator, around) => {
      const [before, after] = AROUND[around];
      const [first, ...others] = tokensOf(operator);
      expect(isWellFormed(`${before}${others.join(" ")}${after}`)).toBe(false);
      expect(isWellFormed(`${before}${first} ${operator}${after}`)).toBe(false);
      expect(isWellFormed(`${before}7 ${operator}${after}`)).toBe(false);
    },
  );

  test.each(VARIED)("rejects content in which the operator %s has an operand of a wrong type", (operator, around) => {
    const [before, after] = AROUND[around];
    const tokens = tokensOf(operator);
    for (let i = 0; i < tokens.length - 1; i++)
      for (const wrong of ["true", "null", "[[1]]", "[/N]", "[true]"])
        expect(isWellFormed(`${before}${tokens.with(i, wrong).join(" ")}${after}`), `${wrong} at ${i}`).toBe(false);
  });

  test.each([
    ["(1) w", "/N w", "1 /N Tf", "/F (1) Tf", "1 Do", "(N) gs", "[1] Tj", "(1) TJ", "[(a)] 0 d", "/T 1 BDC"],
    [
      "/P scn",
      "/Pattern cs",
      "1 1 1 /P SCN",
      "/P sc",
      "/P 1 scn",
      "/P 1 /Q scn",
      "/P /Q scn",
      "(a) scn",
      `${"null ".repeat(11)}scn`,
      `${"null ".repeat(10)}<<>> sc`,
      "1 1 1 sc 1",
      `${"1 ".repeat(33)}scn`,
    ],
    ["foo", "qq", "qQ", "Tjx", "0 0 d0", "0 0 0 0 0 0 d1", "ID", "EI", "R", "q0 Q", "scN", "\x80"],
  ])("rejects content with a wrong operand or an unknown operator: %s", (...contents) => {
    for (const content of contents) expect(isWellFormed(content), content).toBe(false);
  });

  test("accepts unknown operators between BX and EX, but requires correct operands of known operators there", () => {
    expect(isWellFormed("BX 1 2 foo EX")).toBe(true);
    expect(isWellFormed("BX BX foo EX foo EX")).toBe(true);
    for (const content of [
      "BX foo",
      "foo BX EX",
      "BX EX foo",
      "BX re EX",
      `BX ${"1 ".repeat(33)}foo EX`,
      "EX",
      "BX [foo] EX",
    ])
      expect(isWellFormed(content), content).toBe(false);
  });
});

describe("operators and brackets that open and close something", () => {
  test.each([
    ["q", "Q", "q Q Q", "Q q", "q ".repeat(29) + "Q ".repeat(29), "0 0 9 9 re W n q"],
    [
      "BT",
      "ET",
      "BT BT ET ET",
      "BT q ET Q",
      "q BT Q ET",
      "BT 1 0 0 1 0 0 cm ET",
      "BT /Fm Do ET",
      "BT 0 0 m ET",
      "(a) Tj",
    ],
    ["/T BMC", "EMC", "/T BMC EMC EMC", `${"/T BMC ".repeat(29)}${"EMC ".repeat(29)}`],
    ["0 0 l", "h", "W n", "0 0 m", "0 0 m q n Q", "0 0 m BT ET n", "0 0 9 9 re W", "0 0 m n 1 1 l S", "0 0 m /Fm Do n"],
    [
      "(a",
      "<41",
      "[",
      "]",
      "<<",
      ">>",
      ")",
      ">",
      "{",
      "}",
      "[ >>",
      "<< ]",
      "/T << /A >> DP",
      "/T << 1 2 >> DP",
      "1",
      "/N",
      "/ gs",
    ],
    ["(a))", "<4g>", "[(a] TJ", "% comment", `${"[".repeat(17)}${"]".repeat(17)}`],
  ])("rejects content with unbalanced brackets or operators: %s …", (...contents) => {
    for (const content of contents) expect(isWellFormed(content), content).toBe(false);
  });

  test.each([
    `${"q ".repeat(28)}${"Q ".repeat(28)}`,
    "0 0 9 9 re W n",
    "0 0 9 9 re W* 0.5 w f",
    "% comment\n1 w",
    "1 w%comment\r",
    "BT(a\\)(b)\\\\)Tj<4 1>Tj[(a)2<41>]TJ ET",
    "/T<</A<</B[1(a)<41>/C true null]>>/D/E>>BDC EMC",
    "/#41 gs /a#zz gs",
    "",
    " \0\t\r\n\f",
  ])("accepts content that closes all brackets and operators that it opens: %j", (content) => {
    expect(isWellFormed(content)).toBe(true);
  });
});

describe("numbers", () => {
  test.each(["0", "+1", "-1", ".5", "-.5", "5.", "-5.25", "999999999", `0.${"0".repeat(60)}1`, "0001"])(
    "accepts content with the number %s",
    (number) => expect(isWellFormed(`${number} w`)).toBe(true),
  );

  test.each([
    "1000000000",
    "2147483648",
    ".",
    "-",
    "+",
    "-.",
    "--1",
    "+-1",
    "1-2",
    "1.2.3",
    "1e5",
    "0x1",
    "1w",
    "16#FF",
  ])("rejects content with the malformed or too large number %s", (number) =>
    expect(isWellFormed(`${number} w`)).toBe(false),
  );

  test.each(["0.", "/", "BX a"])(
    "rejects content with a token that begins with %j and is longer than 127 bytes",
    (start) => {
      const content = (length: number) =>
        `${start}${"0".repeat(length)} ${start === "BX a" ? "EX" : start === "/" ? "gs" : "w"}`;
      expect(isWellFormed(content(100))).toBe(true);
      expect(isWellFormed(content(130))).toBe(false);
    },
  );
});

describe("inline images", () => {
  const image = (dictionary: string, data: string) => `q BI ${dictionary} ID ${data} EI Q`;

  test.each([
    ["/W 2 /H 2 /BPC 8 /CS /G", "abcd"],
    ["/Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceRGB", "abcdefghijkl"],
    ["/W 9 /H 2 /IM true /D [1 0]", "abcd"],
    ["/W 1 /H 1 /BPC 8 /CS [/I /RGB 1 <000000FFFFFF>]", "\x01"],
    ["/W 2 /H 2 /BPC 8 /CS /G /F /AHx", "61 62 63 64>"],
    ["/W 2 /H 2 /BPC 8 /CS /G /F [/A85 /Fl]", "zEI zz~>"],
    ["/W 2 /H 2 /BPC 8 /CS /G /F /RL", "\x01ab\xffc\x80"],
  ])("accepts an inline image with %s only if its data are exactly %j", (dictionary, data) => {
    expect(isWellFormed(image(dictionary, data))).toBe(true);
    expect(isWellFormed(image(dictionary, data.slice(0, -1)))).toBe(false);
    expect(isWellFormed(image(dictionary, `${data}a`))).toBe(false);
  });

  test.each([
    ["no size", "/BPC 8 /CS /G", "a"],
    ["a color space of the resources", "/W 1 /H 1 /BPC 8 /CS /Cs0", "a"],
    ["an unknown second filter", "/W 1 /H 1 /BPC 8 /CS /G /F [/A85 /N]", "zz~>"],
    ["Flate data", "/W 1 /H 1 /BPC 8 /CS /G /F /Fl", "a"],
    ["a key twice", "/W 9 /W 1 /H 1 /BPC 8 /CS /G", "a"],
    ["both names of a key", "/W 1 /Width 1 /H 1 /BPC 8 /CS /G", "a"],
    ["an escape in a key", "/#57 9 /W 1 /H 1 /BPC 8 /CS /G", "a"],
    ["a name that objects inherit", "/W 1 /H 1 /BPC 8 /CS /constructor /F /AHx", "61>"],
    ["a length", "/W 1 /H 1 /BPC 8 /CS /G /L 1", "a"],
    ["an unclosed dictionary", "/W 1 /H 1 /BPC 8 /CS /G /D [1", "a"],
    ["an odd number of values", "/W 1 /H 1 /BPC 8 /CS /G /D", "a"],
    ["the end mark within its samples", "/W 5 /H 1 /BPC 8 /CS /G", "a EI "],
    ["a long dictionary", `/W 1 /H 1 /BPC 8 /CS /G /X (${"x".repeat(3000)})`, "a"],
    ["wrong hexadecimal data", "/W 1 /H 1 /BPC 8 /CS /G /F /AHx", "6x>"],
    ["wrong data in base 85", "/W 1 /H 1 /BPC 8 /CS /G /F /A85", "zz~ >"],
  ])("rejects content with an inline image with %s", (_, dictionary, data) => {
    expect(isWellFormed(image(dictionary, data))).toBe(false);
  });

  test("rejects a truncated inline image, and accepts a complete inline image at the end of the content", () => {
    const content = image("/W 1 /H 1 /BPC 8 /CS /G", "a").slice(2, -2);
    for (let length = 2; length < content.length; length++) expect(isWellFormed(content.slice(0, length))).toBe(false);
    expect(isWellFormed(content)).toBe(true);
    expect(isWellFormed(`${content}Q`)).toBe(false);
  });
});

describe("chunks and streams", () => {
  test("accepts content that is split into streams between two tokens", () => {
    expect(isWellFormed("q 1 0 0 1 0 0 ", "cm Q")).toBe(true);
    expect(isWellFormed("q ", "BT [(a)", "(b)] TJ ET", " Q")).toBe(true);
    expect(isWellFormed("q", "\nQ")).toBe(true);
  });

  test("rejects a content stream that ends within a token, or with a token that the next stream may continue", () => {
    for (const parts of [
      ["1", "2 w"],
      ["q", "Q"],
      ["B", "T ET"],
      ["q", "", "Q"],
      ["BT (a", "b) Tj ET"],
      ["BT <4", "1> Tj ET"],
    ])
      expect(isWellFormed(...parts), parts.join("|")).toBe(false);
    expect(isWellFormed("1 w % comment", "\n1 w")).toBe(false);
    expect(isWellFormed("q BI /W 1 /H 1 /IM true ID a EI", "Q")).toBe(false);
    expect(isWellFormed("q BI /W 1 /H 1 /IM true ID a EI", " Q")).toBe(true);
    expect(isWellFormed("/T <", "</A 1>> DP")).toBe(false);
  });

  /** Content with tokens of all types. */
  const MIXED = [
    "q 1 0 0 -1.5 +.5 6. cm % comment (\n/T <</A(x\\)(y))/B<</C[true<4 1>]>>>>BDC BT/F0 12 Tf[(a(b)\\\\)-20<41>]TJ T* ET EMC Q\r",
    "BI/W 2/H 2/BPC 8/CS/G\nID abcd\nEI BI/W 1/H 1/IM true/F/AHx ID 61> EI 0 0 9 9 re W* n BX foo EX 0 0 0 scn ",
  ].join("");

  test("accepts content with tokens of all types, and rejects it after adding an unclosed bracket", () => {
    expect(isWellFormed(MIXED)).toBe(true);
    for (const bracket of ["(", "<", "[", "<<", "{"]) expect(isWellFormed(`${MIXED}${bracket} `), bracket).toBe(false);
  });
});

describe("random content", () => {
  const number = fc.oneof(
    fc.integer({ min: -99_999, max: 99_999 }),
    fc.integer({ min: -999, max: 999 }).map((n) => n / 8),
  );
  const string = fc.string({ unit: "binary-ascii" }).map((text) => `(${text.replace(/[\\()]/g, "\\$&")})`);
  const simple = fc.constantFrom(...ROWS.filter(([, around]) => around === "page").map(([operator]) => operator));
  const rectangle = fc.array(number, { minLength: 4, maxLength: 4 }).map((list) => `${list.join(" ")} re f`);
  const text = fc.array(fc.oneof(number, string)).map((list) => `BT /F 9 Tf [${list.join(" ")}] TJ ET`);
  const { content } = fc.letrec<{ content: string; part: string }>((tie) => ({
    content: fc.array(tie("part"), { maxLength: 8 }).map((parts) => parts.join("\n")),
    part: fc.oneof(
      { depthSize: "small", maxDepth: 5 },
      simple,
      rectangle,
      text,
      tie("content").map((inner) => `q ${inner} Q`),
      tie("content").map((inner) => `/T <</MCID 1>> BDC\n${inner}\nEMC`),
    ),
  }));

  test("accepts random well-formed content, and rejects it after adding an unclosed q or an operator without operands", () => {
    fc.assert(
      fc.property(content, (sound) => {
        expect(isWellFormed(sound)).toBe(true);
        expect(isWellFormed(`${sound}\nre`)).toBe(false);
        expect(isWellFormed(`${sound}\nq`)).toBe(false);
      }),
    );
  });
});
