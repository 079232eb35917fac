import * as z from "zod";
import { IMAGE_FORMATS, POSITIONS, TEMPLATES } from "../engine/index.ts";
import type { Product } from "../service/sale/products.ts";

/** A field of a request as JSON Schema has it: what its control is made of. */
interface Field {
  name: string;
  id: string;
  type?: string;
  description?: string;
  /** What a request without it has; undefined if that depends, or it is required. */
  default: string | number | undefined;
  takes(value: string): boolean;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

/** Fields that few callers need. */
const RARE = ["lang", "margin", "password", "filename"];

/** Fields whose description is always in sight; elsewhere it is the control's tooltip. */
const EXPLAINED = ["text", ...RARE];

/** What a control says while it is empty. */
const EMPTY: Record<string, string> = {
  rotation: "the template’s",
  color: "the template’s",
  font_size: "as large as fits",
  password: "none",
  lang: "as the text tells",
};

/** What the text is before anybody has written one. */
export const EXAMPLE_TEXT = "CONFIDENTIAL";

/**
 * The controls for an operation: one for each field of its request but `file`, with the API's names, limits and defaults,
 * which it has from the request's schema.
 */
export function Controls({ product }: { product: Product }) {
  const { properties = {} } = z.toJSONSchema(product.schemas.json, { io: "input" });
  const fields = Object.entries(product.schemas.json.shape)
    .filter(([name]) => name !== "file")
    .map(([name, schema]) => fieldOf(name, schema as z.ZodType, kindOf(product), properties[name] as object));
  const usual = fields
    .filter(({ name }) => !RARE.includes(name))
    .toSorted((a, b) => Number(a.name === "color") - Number(b.name === "color")); // font_size is beside rotation
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
        <summary>{rare.map(({ name }) => name).join(", ")}</summary>
        {rare.map((field) => (
          <Control field={field} />
        ))}
      </details>
    </form>
  );
}

/** The part of an operation's name that tells it from the others: `text` or `image`. */
export function kindOf({ operation }: Product): string {
  return operation.replace("watermark.", "");
}

function fieldOf(name: string, schema: z.ZodType, kind: string, described: object): Field {
  return {
    ...described,
    name,
    id: `${kind}-${name}`,
    default: schema.safeParse(undefined).data as Field["default"],
    takes: (value) => schema.safeParse(value).success,
  };
}

function Control({ field }: { field: Field }) {
  const { name, id, description } = field;
  if (name === "template") return <TemplatePicker field={field} />;
  if (name === "position") return <PositionPicker field={field} />;
  return (
    <div class={`field field-${name}`} title={description}>
      <label for={id}>
        <code>{name}</code>
      </label>
      <Input field={field} />
      <p class={EXPLAINED.includes(name) ? "hint" : "unseen"} id={`${id}-hint`}>
        {description}
      </p>
      <p class="problem" id={`${id}-problem`} data-problem={name} />
    </div>
  );
}

function Input({ field }: { field: Field }) {
  const { name, id } = field;
  const shared = { id, name, "aria-describedby": `${id}-problem ${id}-hint` };
  if (name === "text")
    return (
      <textarea {...shared} rows={2} required>
        {EXAMPLE_TEXT}
      </textarea>
    );
  if (name === "image")
    return (
      <input {...shared} type="file" accept={IMAGE_FORMATS.map((format) => `image/${format.toLowerCase()}`).join()} />
    );
  if (name === "color")
    return (
      <span class="color">
        <input {...shared} type="text" placeholder={EMPTY[name]} spellcheck={false} autocomplete="off" />
        <input type="color" aria-label="Pick a color" value={TEMPLATES.diagonal.color} data-picks={id} />
      </span>
    );
  if (field.type === "number") return <NumberInput field={field} shared={shared} />;
  return (
    <input
      {...shared}
      type={name === "password" ? "password" : "text"}
      value={field.default}
      placeholder={EMPTY[name]}
      autocomplete="off"
      spellcheck={false}
    />
  );
}

function NumberInput({ field, shared }: { field: Field; shared: object }) {
  const { name, id, minimum, exclusiveMinimum, maximum } = field;
  if (field.maximum !== 1)
    return (
      <input
        {...shared}
        type="number"
        min={minimum ?? exclusiveMinimum}
        max={maximum}
        step="any"
        value={field.default}
        placeholder={EMPTY[name]}
        inputmode="decimal"
      />
    );
  const step = 0.01;
  const least = minimum ?? (exclusiveMinimum ?? 0) + step;
  return (
    <span class="range">
      <input {...shared} type="range" min={least} max={maximum} step={step} value={field.default} />
      <output for={id}>{field.default}</output>
    </span>
  );
}

function TemplatePicker({ field }: { field: Field }) {
  return (
    <fieldset class="field templates">
      <legend>
        <code>{field.name}</code>
      </legend>
      <div class="cards">
        {Object.keys(TEMPLATES).map((name) => (
          <label>
            <input type="radio" name={field.name} value={name} checked={name === field.default} />
            <img src={`/assets/pictures/template-${name}.svg`} alt="" width="212" height="300" loading="lazy" />
            <span>{name}</span>
          </label>
        ))}
      </div>
      <p class="problem" data-problem={field.name} />
    </fieldset>
  );
}

function PositionPicker({ field }: { field: Field }) {
  const positions = POSITIONS.filter(field.takes);
  return (
    <fieldset class="field positions">
      <legend>
        <code>{field.name}</code>
      </legend>
      <div class="spots">
        <div class="sheet-of-spots">
          {positions.slice(0, 9).map((name) => (
            <label title={name}>
              <input type="radio" name={field.name} value={name} checked={name === field.default} />
              <span>{name}</span>
            </label>
          ))}
        </div>
        <div class="other-spots">
          {positions.slice(9).map((name) => (
            <label>
              <input type="radio" name={field.name} value={name} />
              <span>{name}</span>
            </label>
          ))}
          {field.default === undefined && (
            <label>
              <input type="radio" name={field.name} value="" checked />
              <span>the template’s</span>
            </label>
          )}
        </div>
      </div>
      <p class="problem" data-problem={field.name} />
    </fieldset>
  );
}
