import type { FC } from "hono/jsx";
import * as z from "zod";
import { IMAGE_FORMATS, POSITIONS, TEMPLATES } from "../engine/index.ts";
import { type FieldKind, type FieldValue, fieldKindOf } from "../service/request/fieldKinds.ts";
import type { Product } from "../service/sale/products.ts";
import { Hint, hintOf } from "./fieldHints.tsx";
import { FieldLabel } from "./fieldLabels.tsx";
import { choiceInWords, LENGTHS } from "./fieldWords.ts";

/** A request field, as its JSON Schema describes it. One control is made from each field. */
interface Field {
  name: string;
  id: string;
  kind: FieldKind;
  description?: string;
  isRequired: boolean;
  /** The default; undefined if the default depends on other fields, or if the field is required. */
  default: FieldValue | undefined;
  takes(value: string): boolean;
  /** The allowed values of a choice. */
  enum?: string[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

/** Fields that few callers need. The form shows them in a collapsed section. */
const RARE = [
  "lang",
  "font",
  "edge",
  "page_start",
  "margin",
  "box",
  "offset_x",
  "offset_y",
  "tile_gap",
  "password",
  "filename",
];

/** Fields whose hint is always visible. Other hints are tooltips. */
const EXPLAINED = ["text", ...RARE];

/** Placeholders of empty controls. A placeholder names the default of the field. */
const PLACEHOLDERS: Record<string, string> = {
  rotation: "Default",
  color: "Default",
  font_size: "Auto",
  password: "None",
  lang: "Auto",
  tile_gap: "Default",
};

/** Colors to choose from with one click. */
const SWATCHES = [
  ["Black", "#000000"],
  ["Gray", "#6b7280"],
  ["Red", "#b91c1c"],
  ["Magenta", "#cc0068"],
  ["Blue", "#1d4ed8"],
  ["Green", "#15803d"],
] as const;

/** Placeholders that the page inserts into the text with one click. */
const INSERTS = [
  ["Page number", "{page}"],
  ["Number of pages", "{pages}"],
  ["Date", "{date}"],
  ["Time", "{time}"],
  ["File name", "{filename}"],
] as const;

/** Languages that have their own letterforms. */
const LANGUAGES = [
  ["ja", "Japanese"],
  ["ko", "Korean"],
  ["zh-Hans", "Chinese, simplified"],
  ["zh-Hant", "Chinese, traditional"],
  ["zh-HK", "Chinese, Hong Kong"],
  ["ur", "Urdu"],
  ["sr", "Serbian"],
] as const;

/** The text of the mark until the visitor enters one. */
export const EXAMPLE_TEXT = "CONFIDENTIAL";

/**
 * The controls of an operation: one for each field of its request except `file`. Names, limits and defaults come from the
 * request's schema.
 */
export function Controls({ product }: { product: Product }) {
  const { json, form } = product.schemas;
  const { properties = {} } = z.toJSONSchema(json, { io: "input" });
  const fields = Object.entries(json.shape)
    .filter(([name]) => name !== "file")
    .map(([name, schema]) => ({
      ...fieldOf(name, schema as z.ZodType, kindOf(product), properties[name] as object),
      kind: fieldKindOf(form.shape[name]!),
    }));
  const usual = fields
    .filter(({ name }) => !RARE.includes(name))
    .toSorted((a, b) => Number(a.name === "color") - Number(b.name === "color")); // moves `color` to the end, so that `font_size` is beside `rotation`
  const rare = fields.filter(({ name }) => RARE.includes(name));
  return (
    <form
      class="controls"
      data-operation={kindOf(product)}
      data-path={product.path}
      data-tool={product.tool}
      novalidate
    >
      {usual.map((field) => (
        <Control field={field} />
      ))}
      <details>
        <summary>More settings</summary>
        {rare.map((field) => (
          <Control field={field} />
        ))}
      </details>
    </form>
  );
}

/** Returns the last part of an operation's name: `text` or `image`. */
export function kindOf({ operation }: Product): string {
  return operation.replace("watermark.", "");
}

function fieldOf(name: string, schema: z.ZodType, operation: string, described: object): Omit<Field, "kind"> {
  const omitted = schema.safeParse(undefined);
  return {
    ...described,
    name,
    id: `${operation}-${name}`,
    isRequired: !omitted.success,
    default: omitted.data as Field["default"],
    takes: (value) => schema.safeParse(value).success,
  };
}

function Control({ field }: { field: Field }) {
  const { name, id } = field;
  const hint = hintOf(name, field.description);
  const isExplained = EXPLAINED.includes(name);
  if (name === "template") return <TemplatePicker field={field} />;
  if (name === "position") return <PositionPicker field={field} />;
  return (
    <div class={`field field-${name}`} title={isExplained ? undefined : hint}>
      <label for={id}>
        <FieldLabel name={name} />
      </label>
      <Input field={field} />
      <p class={isExplained ? "hint" : "unseen"} id={`${id}-hint`}>
        <Hint text={hint} />
      </p>
      <p class="problem" id={`${id}-problem`} data-problem={name} />
    </div>
  );
}

/** Attributes that every control has. */
interface SharedAttributes {
  id: string;
  name: string;
  required: boolean;
  "aria-describedby": string;
  "data-kind": FieldKind;
  /** Limits of a number, which `web/adjust.ts` reads when the visitor drags the mark. */
  "data-min": number | undefined;
  "data-max": number | undefined;
}

interface InputProps {
  field: Field;
  shared: SharedAttributes;
}

/** The control of each kind of field. */
const INPUTS: Record<FieldKind, FC<InputProps>> = {
  string: StringInput,
  number: NumberInput,
  boolean: BooleanInput,
  choice: ({ field, shared }) => <Choice field={field} shared={shared} names={field.enum ?? []} />,
  file: ({ shared }) => (
    <input {...shared} type="file" accept={IMAGE_FORMATS.map((format) => `image/${format.toLowerCase()}`).join()} />
  ),
};

function Input({ field }: { field: Field }) {
  const { name, id, kind, isRequired, minimum, exclusiveMinimum, maximum } = field;
  const shared = {
    ...{ id, name, required: isRequired },
    "aria-describedby": `${id}-problem ${id}-hint`,
    "data-kind": kind,
    "data-min": minimum ?? exclusiveMinimum,
    "data-max": maximum,
  };
  const KindInput = INPUTS[kind];
  return <KindInput field={field} shared={shared} />;
}

function StringInput({ field, shared }: InputProps) {
  const { name, id } = field;
  if (name === "text")
    return (
      <>
        <textarea {...shared} rows={2}>
          {EXAMPLE_TEXT}
        </textarea>
        <span class="inserts">
          Insert:
          {INSERTS.map(([label, placeholder]) => (
            <button type="button" value={placeholder} data-inserts={id}>
              {label}
            </button>
          ))}
        </span>
      </>
    );
  if (name === "color")
    return (
      <>
        <span class="color">
          <input {...shared} type="text" placeholder={PLACEHOLDERS[name]} spellcheck={false} autocomplete="off" />
          <input type="color" aria-label="Pick a color" value={TEMPLATES.diagonal.color} data-picks={id} />
        </span>
        <span class="swatches">
          {SWATCHES.map(([label, color]) => (
            <button type="button" title={label} aria-label={label} value={color} data-sets={id}>
              <svg viewBox="0 0 2 2" aria-hidden="true">
                <circle cx="1" cy="1" r="1" fill={color} />
              </svg>
            </button>
          ))}
        </span>
      </>
    );
  if (name === "lang")
    return (
      <>
        <input {...shared} type="text" placeholder={PLACEHOLDERS[name]} list={`${id}-list`} autocomplete="off" />
        <datalist id={`${id}-list`}>
          {LANGUAGES.map(([code, language]) => (
            <option value={code}>{language}</option>
          ))}
        </datalist>
      </>
    );
  // the field stays empty, because the page names the result after the visitor's file
  const isNamedBySource = name === "filename";
  return (
    <input
      {...shared}
      type={name === "password" ? "password" : "text"}
      value={isNamedBySource ? undefined : (field.default as string | undefined)}
      placeholder={isNamedBySource ? String(field.default) : PLACEHOLDERS[name]}
      autocomplete="off"
      spellcheck={false}
    />
  );
}

/**
 * A checkbox, or a drop-down list if the default depends on other fields, because a checkbox has no third state for the
 * default.
 */
function BooleanInput({ field, shared }: InputProps) {
  if (field.default === undefined) return <Choice field={field} shared={shared} names={["true", "false"]} />;
  return <input {...shared} type="checkbox" checked={field.default === true} />;
}

/** A drop-down list of names, with an empty entry for the default if the default depends on other fields. */
function Choice({ field, shared, names }: InputProps & { names: string[] }) {
  return (
    <select {...shared}>
      {field.default === undefined && (
        <option value="" selected>
          {PLACEHOLDERS[field.name] ?? "Default"}
        </option>
      )}
      {names.map((name) => (
        <option value={name} selected={name === field.default}>
          {choiceInWords(field.name, name)}
        </option>
      ))}
    </select>
  );
}

function NumberInput({ field, shared }: InputProps) {
  const { name, id, minimum, exclusiveMinimum, maximum } = field;
  const value = field.default as number | undefined;
  if (field.maximum !== 1)
    return (
      <input
        {...shared}
        type="text"
        value={value}
        placeholder={PLACEHOLDERS[name]}
        inputmode="decimal"
        autocomplete="off"
        data-length={LENGTHS.includes(name) ? (value ?? "") : undefined}
      />
    );
  const step = 0.01;
  const least = minimum ?? (exclusiveMinimum ?? 0) + step;
  return (
    <span class="range">
      <input {...shared} type="range" min={least} max={maximum} step={step} value={value} />
      <output for={id}>{Math.round((value ?? 0) * 100)} %</output>
    </span>
  );
}

function TemplatePicker({ field }: { field: Field }) {
  return (
    <fieldset class="field templates">
      <legend>
        <FieldLabel name={field.name} />
      </legend>
      <div class="cards">
        {Object.entries(TEMPLATES).map(([name, { position, fixed }]) => (
          <label title={name}>
            <input
              type="radio"
              name={field.name}
              value={name}
              checked={name === field.default}
              data-kind={field.kind}
              data-position={position}
              data-fixed={fixed && ""}
            />
            <img src={`/assets/pictures/template-${name}.webp`} alt="" width="212" height="300" loading="lazy" />
            <span>{choiceInWords(field.name, name)}</span>
          </label>
        ))}
      </div>
      <p class="hint">A template brings its own position, rotation and size.</p>
      <p class="problem" data-problem={field.name} />
    </fieldset>
  );
}

function PositionPicker({ field }: { field: Field }) {
  const positions = POSITIONS.filter(field.takes);
  return (
    <fieldset class="field positions">
      <legend>
        <FieldLabel name={field.name} />
      </legend>
      <div class="spots">
        <div class="sheet-of-spots">
          {positions.slice(0, 9).map((name) => (
            <label title={choiceInWords(field.name, name)}>
              <input
                type="radio"
                name={field.name}
                value={name}
                checked={name === field.default}
                data-kind={field.kind}
              />
              <span>{choiceInWords(field.name, name)}</span>
            </label>
          ))}
        </div>
        <div class="other-spots">
          {positions.slice(9).map((name) => (
            <label title={name}>
              <input type="radio" name={field.name} value={name} data-kind={field.kind} />
              <span>{choiceInWords(field.name, name)}</span>
            </label>
          ))}
          {field.default === undefined && (
            <label>
              <input type="radio" name={field.name} value="" checked data-kind={field.kind} />
              <span>From the template</span>
            </label>
          )}
        </div>
      </div>
      <p class="problem" data-problem={field.name} />
    </fieldset>
  );
}
