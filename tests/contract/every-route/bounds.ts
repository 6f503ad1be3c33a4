/** Every bound of a schema, with a value beyond it and one at its edge, so that the bound of a new field is asked by itself. */
import type { TSchema } from 'typebox'
import { sampleOf } from '#platform/schema'

export interface Shape {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minProperties?: number
  required?: string[]
  additionalProperties?: unknown
  discriminator?: unknown
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
  oneOf?: Shape[]
}

const keywords = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const

export interface Bound {
  /** As a refusal names it: `messages.0.content`. */
  path: string
  keyword: (typeof keywords)[number]
  limit: number
  /** True where no other variant of a union may take what this one refuses. */
  isAlone: boolean
  /** The smallest value of the whole schema with what is beyond the bound; and with what is at its edge, where one can be made. */
  beyond: unknown
  edge: unknown
}

/** Schemas may hold themselves: a part of a part of a part. */
export const deepest = 7

export function* boundsOf(schema: TSchema, path: string[] = [], isAlone = true): Generator<Bound> {
  const shape = schema as Shape
  if (path.length > deepest || shape.const !== undefined || shape.enum) return
  const variants = shape.anyOf ?? shape.oneOf
  for (const variant of variants ?? [])
    yield* boundsOf(variant as TSchema, path, isAlone && isNullable(variants!))
  for (const keyword of keywords) {
    const limit = shape[keyword]
    if (limit === undefined) continue
    const isLeast = keyword.startsWith('min')
    const beyond = valueAt(shape, keyword, limit + (isLeast ? -1 : 1), true)
    if (beyond === undefined) continue
    const edge = valueAt(shape, keyword, limit, false)
    yield { path: path.join('.'), keyword, limit, isAlone, beyond, edge }
  }
  yield* within(shape, path, isAlone)
}

/** The bounds of members, each in the smallest value of this schema. */
function* within(shape: Shape, path: string[], isAlone: boolean): Generator<Bound> {
  const placed = function* (
    child: Shape,
    name: string,
    place: (value: unknown) => unknown,
  ): Generator<Bound> {
    for (const bound of boundsOf(child as TSchema, [...path, name], isAlone))
      yield {
        ...bound,
        beyond: place(bound.beyond),
        edge: bound.edge === undefined ? undefined : place(bound.edge),
      }
  }
  if (shape.items) {
    const rest = itemsOf(shape, Math.max(0, (shape.minItems ?? 0) - 1))
    yield* placed(shape.items, '0', (value) => [value, ...rest])
  }
  const own = shape.properties && (smallest(shape) as object)
  for (const [name, property] of Object.entries(shape.properties ?? {}))
    yield* placed(property, name, (value) => ({ ...own, [name]: value }))
}

/** As the documents show it, with texts that their patterns take. */
export function smallest(shape: Shape): unknown {
  const value = sampleOf(shape as TSchema)
  if (typeof value === 'string' && shape.pattern !== undefined)
    return [value, textOf(shape, shape.minLength ?? 1), anId].find(
      (text) => text !== undefined && fits(shape, text),
    )
  if (typeof value !== 'object' || value === null || !shape.properties) return value
  const members = Object.entries(value).map(([name, member]) => {
    const of = shape.properties![name]
    return [name, of?.pattern === undefined ? member : smallest(of)]
  })
  return Object.fromEntries(members)
}

/** Of nothing. */
const anId = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90'

export const itemsOf = ({ items = {} }: Shape, many: number): unknown[] => {
  const distinct = items.enum ?? items.anyOf?.map((one) => one.const)
  return Array.from({ length: many }, (_, at) => distinct?.[at] ?? smallest(items))
}

export const fits = ({ pattern }: Shape, text: string): boolean =>
  pattern === undefined || new RegExp(pattern, 'u').test(text)

const textOf = (shape: Shape, length: number): string | undefined =>
  ['a', '1', 'A', '='].map((letter) => letter.repeat(length)).find((text) => fits(shape, text))

/** A union with null has one variant that holds anything. */
const isNullable = (variants: Shape[]): boolean => variants.filter(({ type }) => type !== 'null').length === 1

/**
 * Of this number, of so many characters or of so many items; undefined where none can be made. What has another pattern is refused by that at
 * the latest, and no edge. Of the largest texts and lists the limits of the body come first.
 */
function valueAt(shape: Shape, keyword: Bound['keyword'], amount: number, isBeyond: boolean): unknown {
  if (keyword === 'minimum' || keyword === 'maximum') return amount
  if (amount < 0) return undefined
  if (keyword === 'minItems' || keyword === 'maxItems')
    return amount > maxListLength ? undefined : itemsOf(shape, amount)
  if (amount > maxTextLength) return undefined
  return textOf(shape, amount) ?? (isBeyond ? 'a'.repeat(amount) : undefined)
}
const maxTextLength = 2_000_000
const maxListLength = 20_000
