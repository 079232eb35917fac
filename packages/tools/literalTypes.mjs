/** A plugin of TypeDoc that lists the values of a type, where the source derives them from a table. */
import { Converter, LiteralType, ReflectionKind, UnionType } from "typedoc";

/** @param {import("typedoc").Application} app */
export function load(app) {
  /** @type {Map<import("typedoc").Reflection, import("typedoc").SomeType>} */
  const unions = new Map();
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.TypeAlias)) return;
    const symbol = context.getSymbolFromReflection(reflection);
    const type = symbol && context.checker.getDeclaredTypeOfSymbol(symbol);
    if (type?.isUnion() && type.types.every((member) => member.isStringLiteral()))
      unions.set(reflection, new UnionType(type.types.map((member) => new LiteralType(member.value))));
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, () => {
    // only now, because TypeDoc itself sets the type after the event above
    for (const [reflection, type] of unions) reflection.type = type;
  });
}
