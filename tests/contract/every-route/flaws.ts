/** Every way but its bounds in which a value can miss a schema: a member too many or too few, another type, another value, other letters. */
import type { TSchema } from 'typebox'
import { deepest, fits, itemsOf, type Shape, smallest } from './bounds.ts'

export interface Flaw {
  /** As a refusal names it; of an unknown member the name of that. */
  path: string
  keyword: 'type' | 'enum' | 'pattern' | 'uniqueItems' | 'minProperties' | 'required' | 'additionalProperties'
  /** The smallest value of the whole schema with the flaw. */
  value: unknown
}

export const unknownField = 'unknown_field'

/**
 * `asText`: values of a query or a form, which come as text. Of what stands in a union without a tag nothing is asked: another variant may
 * take what this one refuses.
 */
export function* flawsOf(schema: TSchema, asText: boolean, path: string[] = []): Generator<Flaw> {
  const shape = schema as Shape
  if (path.length > deepest) return
  const at = path.join('.')
  for (const value of ofOtherType(shape, asText && path.length > 0))
    if (!(asText && path.length === 0)) yield { path: at, keyword: 'type', value }
  if (shape.enum || typeof shape.const === 'string')
    yield { path: at, keyword: 'enum', value: 'no such value' }
  const odd = oddText(shape)
  if (odd !== undefined) yield { path: at, keyword: 'pattern', value: odd }
  if (shape.uniqueItems && shape.items) {
    const item = smallest(shape.items)
    yield { path: at, keyword: 'uniqueItems', value: [item, item] }
  }
  if (shape.minProperties && !shape.required?.length) yield { path: at, keyword: 'minProperties', value: {} }
  yield* ofMembers(shape, asText, path)
}

function* ofMembers(shape: Shape, asText: boolean, path: string[]): Generator<Flaw> {
  const variants = shape.anyOf ?? shape.oneOf ?? []
  const alone = variants.filter(({ type }) => type !== 'null')
  if (shape.discriminator || alone.length === 1)
    // Null is taken by the other variant, and what has no tag is refused as that.
    for (const variant of alone)
      for (const flaw of flawsOf(variant as TSchema, asText, path))
        if (flaw.path !== path.join('.') || (!shape.discriminator && flaw.value !== null)) yield flaw
  const placed = function* (child: Shape, name: string, place: (value: unknown) => unknown) {
    for (const flaw of flawsOf(child as TSchema, asText, [...path, name]))
      yield { ...flaw, value: place(flaw.value) }
  }
  const rest = itemsOf(shape, Math.max(0, (shape.minItems ?? 0) - 1))
  if (shape.items) yield* placed(shape.items, '0', (value) => [value, ...rest])
  if (!shape.properties) return
  const own = smallest(shape) as Record<string, unknown>
  for (const name of shape.required ?? []) {
    const { [name]: _, ...others } = own
    yield { path: [...path, name].join('.'), keyword: 'required', value: others }
  }
  if (shape.additionalProperties === false) {
    const value = { ...own, [unknownField]: 1 }
    yield { path: [...path, unknownField].join('.'), keyword: 'additionalProperties', value }
  }
  for (const [name, property] of Object.entries(shape.properties))
    yield* placed(property, name, (value) => ({ ...own, [name]: value }))
}

const typed: [string[], unknown][] = [
  [['integer', 'number'], 7],
  [['string'], 'x'],
  [['boolean'], true],
  [['object'], {}],
  [['array'], []],
  [['null'], null],
]

/** One of another type, and null where it is not taken. Text is text: only numbers and booleans can be something else. */
function ofOtherType({ type, const: only, minimum = 0 }: Shape, asText: boolean): unknown[] {
  const types = [type].flat().filter((one) => one !== undefined)
  if (types.length === 0) return []
  const fraction = types.includes('integer') && !types.includes('number') ? [Math.max(minimum, 0) + 0.5] : []
  if (asText)
    return types.every((one) => ['integer', 'number', 'boolean'].includes(one!)) && only === undefined
      ? ['x', ...fraction]
      : []
  const others = typed
    .filter(([names]) => !names.some((name) => types.includes(name)))
    .map(([, value]) => value)
  return [...others.slice(0, 1), ...(types.includes('null') ? [] : [null]), ...fraction]
}

/** Of a length that is taken, in letters that are not. */
function oddText({ type, pattern, minLength = 1, maxLength = 200 }: Shape): string | undefined {
  if (type !== 'string' || pattern === undefined) return undefined
  const letters = 'a'.repeat(Math.max(0, minLength - 1))
  return [`${letters}\u0000`, `${letters}/`, `${letters} `, `${letters}…`].find(
    (text) => text.length <= maxLength && !fits({ pattern }, text),
  )
}
