/** Every place of a schema where a caller may write text, so that a new field is tried by itself. */
import type { TSchema } from 'typebox'
import { sampleOf } from '#platform/schema'

interface Shape {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  maxLength?: number
  properties?: Record<string, Shape>
  items?: Shape
  minItems?: number
  anyOf?: Shape[]
  oneOf?: Shape[]
}

export interface TextField {
  path: string
  /** Of its characters, where the schema has a bound. */
  maxLength: number | undefined
  /** The smallest value of the whole schema with this text there. */
  valueWith(text: string): unknown
}

/** Schemas may hold themselves: a part of a part of a part. */
const deepest = 8

export function* textFields(schema: TSchema, path = '', depth = 0): Generator<TextField> {
  const shape = schema as Shape
  if (depth > deepest || shape.const !== undefined || shape.enum) return
  for (const variant of shape.anyOf ?? shape.oneOf ?? [])
    yield* textFields(variant as TSchema, path, depth + 1)
  const types = [shape.type].flat()
  const isAnything = shape.type === undefined && !shape.anyOf && !shape.oneOf
  if (types.includes('string') || isAnything)
    yield { path, maxLength: shape.maxLength, valueWith: (text) => text.slice(0, shape.maxLength) }
  if (types.includes('array') && shape.items)
    for (const field of textFields(shape.items as TSchema, `${path}[]`, depth + 1))
      yield {
        ...field,
        valueWith: (text) =>
          Array.from({ length: Math.max(1, shape.minItems ?? 0) }, () => field.valueWith(text)),
      }
  for (const [name, property] of Object.entries(shape.properties ?? {}))
    for (const field of textFields(property as TSchema, path === '' ? name : `${path}.${name}`, depth + 1))
      yield {
        ...field,
        valueWith: (text) => ({
          ...(sampleOf(schema) as Record<string, unknown>),
          [name]: field.valueWith(text),
        }),
      }
}
