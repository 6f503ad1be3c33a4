import { sampleFormat } from './format-sample.ts'
import { sampleNumber } from './number-sample.ts'
import { samplePattern } from './pattern-sample.ts'
import { isOfType, matches, schemasOf } from './schema-check.ts'
import { flatten, merge } from './schema-merge.ts'
import {
  isObject,
  isSchema,
  numberOf,
  type Schema,
  type SchemaObject,
  sameJson,
  schemaList,
  stringList,
  tupleOf,
  UnsatisfiableSchema,
  WorkLimit,
} from './schema-shape.ts'

export { UnsatisfiableSchema }

/** The position of a value: its property name (the nearest one), JSON pointer, nesting depth, and which of several samples is wanted. */
export interface ValuePosition {
  name: string
  path: string
  depth: number
  variant: number
}

export interface SampleOptions {
  /** A better value than a generated one, for example from the user's text; used only when it is valid. */
  hint?: (place: ValuePosition, schema: SchemaObject) => unknown
  /** The text of strings that have no other constraint. */
  text: string
}

/** Below this depth, optional properties and the items of arrays that may be empty are left out, which also ends recursion. */
const shallow = 3
const deepest = 40
/** The longest array and text that a schema can require. */
const maxItems = 500
const maxTextLength = 10_000

/**
 * A value that is valid by the schema; deterministic. Supports the validating keywords of 2020-12 except `unevaluated*` and `$dynamicRef`;
 * see `pattern-sample.ts` for patterns. Throws `UnsatisfiableSchema` when there is no such value or the sandbox cannot generate one.
 */
export function sampleSchema(schema: Schema, options: SampleOptions): unknown {
  const sampler = new Sampler(schema, options)
  const value = sampler.sample(schema, { name: '', path: '', depth: 0, variant: 0 })
  if (!sampler.fits(schema, value))
    throw new UnsatisfiableSchema('The sandbox found no value for the schema.', '')
  return value
}

class Sampler {
  readonly #root: Schema
  readonly #options: SampleOptions
  readonly #building = new WorkLimit(20_000)
  readonly #checking = new WorkLimit(400_000)

  constructor(root: Schema, options: SampleOptions) {
    this.#root = root
    this.#options = options
  }

  fits(schema: Schema, value: unknown): boolean {
    return matches(schema, value, this.#root, this.#checking)
  }

  sample(schema: Schema, place: ValuePosition): unknown {
    if (place.depth > deepest) throw new UnsatisfiableSchema('The schema is nested without end.', place.path)
    const flat = flatten(schema, this.#root, place.path, this.#building)
    if (flat === false) throw new UnsatisfiableSchema('The schema allows no value here.', place.path)
    if (flat === true) return this.#text({}, place)
    const ready = this.#ready(flat, place)
    if (ready !== undefined) return ready
    for (const key of ['anyOf', 'oneOf'] as const)
      if (schemaList(flat[key]).length > 0) return this.#branch(flat, key, place)
    if (isSchema(flat['if'])) return this.#condition(flat, place)
    if (isSchema(flat['not']) || Array.isArray(flat['allOf'])) return this.#search(flat, place)
    return this.#ofType(flat, place)
  }

  /** Values that the schema itself or the hint provides. */
  #ready(flat: SchemaObject, place: ValuePosition): unknown {
    if (flat['const'] !== undefined) return flat['const']
    const valid = (value: unknown) => value !== undefined && this.fits(flat, value)
    const hinted = place.variant === 0 ? this.#options.hint?.(place, flat) : undefined
    if (valid(hinted)) return hinted
    if (Array.isArray(flat['enum'])) {
      const members = flat['enum'].filter(valid)
      if (members.length === 0) throw new UnsatisfiableSchema('No member of the enum is allowed.', place.path)
      return members[place.variant % members.length]
    }
    if (place.variant > 0) return undefined
    const examples = Array.isArray(flat['examples']) ? flat['examples'] : []
    return [flat['default'], ...examples].find((each) => each !== null && valid(each))
  }

  #branch(flat: SchemaObject, key: 'anyOf' | 'oneOf', place: ValuePosition): unknown {
    const { [key]: _, ...rest } = flat
    const branches = schemaList(flat[key]).filter((branch) => branch !== false)
    // Deep inside a value the simplest branch comes first, so that recursion through a branch ends.
    if (place.depth >= shallow) branches.sort((left, right) => weight(left) - weight(right))
    return this.#first(
      branches.map((branch) => () => this.sample(merge(rest, branch, place.path), place)),
      flat,
      place,
    )
  }

  #condition(flat: SchemaObject, place: ValuePosition): unknown {
    const { if: condition, then, else: otherwise, ...rest } = flat
    const withThen = merge(isSchema(condition) ? condition : true, isSchema(then) ? then : true, place.path)
    const ways = [withThen, isSchema(otherwise) ? otherwise : true].map(
      (way) => () => this.sample(merge(rest, way, place.path), place),
    )
    return this.#first(ways, flat, place)
  }

  /** Samples a schema with `not` or an `allOf` that could not be merged, by trying several samples of the rest. */
  #search(flat: SchemaObject, place: ValuePosition): unknown {
    const { not: _, allOf, ...rest } = flat
    const bases = [...schemaList(allOf), true].map((part) => merge(rest, part, place.path))
    const ways = bases.flatMap((base) =>
      Array.from({ length: 8 }, (_, step) => () => {
        const stripped = isObject(base) ? { ...base, allOf: undefined } : base
        return this.sample(stripped, { ...place, variant: place.variant + step })
      }),
    )
    return this.#first(ways, flat, place)
  }

  /** The first candidate that is valid. */
  #first(ways: (() => unknown)[], flat: SchemaObject, place: ValuePosition): unknown {
    let failure: unknown
    for (const way of ways) {
      try {
        const value = way()
        if (this.fits(flat, value)) return value
      } catch (error) {
        if (!(error instanceof UnsatisfiableSchema)) throw error
        failure = error
      }
    }
    throw (
      failure ??
      new UnsatisfiableSchema('The sandbox found no value that fits one of the choices.', place.path)
    )
  }

  #ofType(flat: SchemaObject, place: ValuePosition): unknown {
    const types = stringList(flat['type'])
    const wanted = types.length > 0 ? types : [impliedType(flat)]
    const type =
      place.depth >= shallow && wanted.includes('null')
        ? 'null'
        : (wanted.find((each) => each !== 'null') ?? 'null')
    if (type === 'null') return null
    if (type === 'boolean') return place.variant % 2 === 0
    if (type === 'integer' || type === 'number') return sampleNumber(flat, type === 'integer', place)
    if (type === 'string') return this.#text(flat, place)
    if (type === 'array') return this.#array(flat, place)
    if (type === 'object') return this.#object(flat, place)
    throw new UnsatisfiableSchema(`There is no type "${type}".`, place.path)
  }

  #text(flat: SchemaObject, place: ValuePosition): string {
    const min = numberOf(flat['minLength']) ?? 0
    const max = numberOf(flat['maxLength']) ?? maxTextLength
    if (min > maxTextLength || min > max)
      throw new UnsatisfiableSchema('No text has this length.', place.path)
    if (typeof flat['pattern'] === 'string') {
      const built = samplePattern(flat['pattern'], { min, max, variant: place.variant }, this.#checking)
      if (built !== undefined) return built
      throw new UnsatisfiableSchema('The sandbox cannot write a text for this pattern.', place.path)
    }
    const formatted =
      typeof flat['format'] === 'string' ? sampleFormat(flat['format'], place.variant) : undefined
    if (formatted !== undefined) return formatted
    const suffix = [...(place.variant === 0 ? '' : ` ${place.variant + 1}`)].slice(-max)
    const base = [...this.#options.text.repeat(Math.ceil(min / Math.max(1, this.#options.text.length)) || 1)]
    const room = Math.max(
      0,
      Math.min(max, Math.max(min, [...this.#options.text].length + suffix.length)) - suffix.length,
    )
    const text = [...base.slice(0, room), ...(max > 0 ? suffix : [])].join('')
    return text.length < min ? text.padEnd(min, '.') : text
  }

  #array(flat: SchemaObject, place: ValuePosition): unknown[] {
    const { first, rest } = tupleOf(flat)
    const min = numberOf(flat['minItems']) ?? 0
    const max = numberOf(flat['maxItems']) ?? Infinity
    if (min > maxItems || min > max) throw new UnsatisfiableSchema('No array has this length.', place.path)
    const contains = isSchema(flat['contains']) ? flat['contains'] : undefined
    const contained = contains === undefined ? 0 : (numberOf(flat['minContains']) ?? 1)
    const usual =
      place.depth >= shallow ? 0 : first.length > 0 ? first.length : rest === false || max === 0 ? 0 : 1
    const length = Math.min(max, Math.max(min, usual, contained), rest === false ? first.length : maxItems)
    const items: unknown[] = []
    for (let index = 0; index < length; index++) {
      const own = first[index] ?? rest ?? true
      const schema = contains !== undefined && index < contained ? merge(own, contains, place.path) : own
      const inner = { ...place, path: `${place.path}/${index}`, depth: place.depth + 1 }
      try {
        items.push(
          this.#item(schema, inner, flat['uniqueItems'] === true ? items : [], place.variant + index),
        )
      } catch (error) {
        // Items beyond the required number are optional.
        if (!(error instanceof UnsatisfiableSchema) || index < Math.max(min, contained)) throw error
        break
      }
    }
    return items
  }

  /** One item that differs from the earlier ones. */
  #item(schema: Schema, place: ValuePosition, earlier: readonly unknown[], variant: number): unknown {
    const tries = earlier.length * 2 + 4
    for (let step = 0; step < tries; step++) {
      const value = this.sample(schema, { ...place, variant: variant + step })
      if (!earlier.some((each) => sameJson(each, value))) return value
    }
    throw new UnsatisfiableSchema('There are not enough different values.', place.path)
  }

  #object(flat: SchemaObject, place: ValuePosition): Record<string, unknown> {
    const required = new Set(stringList(flat['required']))
    const declared = Object.keys(isObject(flat['properties']) ? flat['properties'] : {})
    const max = numberOf(flat['maxProperties']) ?? Infinity
    const names = [...new Set([...declared, ...required])]
    let optional = Math.max(0, Math.min(names.length, max) - required.size)
    const entries = new Map<string, unknown>()
    for (const name of names) {
      const needed = required.has(name)
      if (!needed && (place.depth >= shallow || optional === 0)) continue
      try {
        entries.set(name, this.#property(flat, name, place))
        if (!needed) optional -= 1
      } catch (error) {
        if (needed || !(error instanceof UnsatisfiableSchema)) throw error
      }
    }
    this.#complete(flat, entries, [...names], place)
    return Object.fromEntries(entries)
  }

  /** Adds what `dependentRequired` and `minProperties` require beyond the properties already present. */
  #complete(flat: SchemaObject, entries: Map<string, unknown>, names: string[], place: ValuePosition): void {
    const dependent = isObject(flat['dependentRequired']) ? flat['dependentRequired'] : {}
    for (const name of entries.keys())
      for (const other of stringList(dependent[name]))
        if (!entries.has(other)) entries.set(other, this.#property(flat, other, place))
    const min = numberOf(flat['minProperties']) ?? 0
    if (min > maxItems) throw new UnsatisfiableSchema('No object has so many properties.', place.path)
    for (let extra = 1; entries.size < min && extra <= maxItems; extra++) names.push(`property${extra}`)
    for (const name of names) {
      if (entries.size >= min) return
      if (!entries.has(name)) entries.set(name, this.#property(flat, name, place))
    }
  }

  #property(flat: SchemaObject, name: string, place: ValuePosition): unknown {
    const path = `${place.path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const schema = schemasOf(flat, name, this.#checking).reduce<Schema>(
      (joined, part) => merge(joined, part, path),
      true,
    )
    return this.sample(schema, { name, path, depth: place.depth + 1, variant: place.variant })
  }
}

function impliedType(flat: SchemaObject): string {
  const has = (...keys: string[]) => keys.some((key) => flat[key] !== undefined)
  if (has('properties', 'required', 'additionalProperties', 'minProperties', 'patternProperties'))
    return 'object'
  if (has('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains')) return 'array'
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return 'number'
  return 'string'
}

/** How likely a branch is to recurse. */
function weight(schema: Schema): number {
  if (!isObject(schema)) return 0
  if (isOfType(null, String(schema['type'])) || schema['const'] !== undefined || schema['enum'] !== undefined)
    return 0
  if (schema['$ref'] !== undefined || schema['allOf'] !== undefined) return 3
  return schema['type'] === 'object' || schema['type'] === 'array' ? 2 : 1
}
