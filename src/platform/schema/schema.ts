/**
 * Shapes of schemas that many rooms share, in TypeBox. TypeBox values are JSON Schema, so one value serves checks, types and the OpenAPI document.
 */
import { type Static, type TInteger, type TObject, type TSchema, Type } from 'typebox'

export { sampleOf } from './sample.ts'

/** Patterns for which error messages have a sentence of their own. */
export const uuidPattern = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
export const noNulPattern = '^[^\\u0000]*$'
export const namePattern = '^[^\\u0000-\\u001f\\u007f/\\\\]*$'

/** A text that the database can store, which cannot contain NUL. */
export const storableText = (min: number, max: number, more: Record<string, unknown> = {}) =>
  Type.String({ minLength: min, maxLength: max, pattern: noNulPattern, ...more })

export const uuid = (description?: string) =>
  Type.String({
    pattern: uuidPattern,
    format: 'uuid',
    ...(description !== undefined && { description }),
  })

/** A pattern with the words that a refusal uses for it, since people do not read regular expressions. */
export const patterned = (pattern: string, wanted: { en: string; fa: string }) => ({
  pattern,
  'x-wanted': wanted,
})

export const timestamp = () =>
  Type.String({ description: 'RFC 3339 time in UTC.', 'x-description-fa': 'زمان به شکل RFC 3339، در UTC.' })

/** A description in both languages, to be spread into a schema. */
export const described = (en: string, fa: string) => ({ description: en, 'x-description-fa': fa })

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/**
 * The `limit` parameter of a list, `standard` if absent. It is declared as optional, so that documents do not call it required, but handlers always
 * get it.
 */
export const pageLimit = (maximum: number, standard = 20): TInteger =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, default: standard })) as unknown as TInteger

/** A union of objects with a literal tag field, so that errors refer to the intended variant. */
export const taggedUnion = <T extends TObject[]>(tag: string, variants: [...T]) =>
  Type.Unsafe<Static<T[number]>>({
    type: 'object',
    required: [tag],
    discriminator: { propertyName: tag },
    oneOf: variants,
  })

/** A JSON object with any members. */
export const anyObject = (options: Record<string, unknown> = {}) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', ...options })

export const oneOf = <const T extends string[]>(...values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values })

/** A media type (RFC 9110, 8.3.1) without its parameters, in lower case. */
export const essenceOf = (mediaType: string): string => mediaType.split(';', 1)[0]!.trim().toLowerCase()

/** The keyword of `spelled`, whose value has the other spellings. */
export const spellingsKeyword = 'x-spellings'
export type SpellingSchema<Value extends string> = ReturnType<typeof Type.Unsafe<Value>>

/**
 * An enumeration whose values may be written otherwise: in any case, with parameters after a semicolon, or as `spellings` says. The check of a body
 * puts the value in the place of its spelling.
 */
export const spelled = <const Value extends string>(
  values: readonly Value[],
  spellings: Readonly<Record<string, Value>>,
  options: Record<string, unknown> = {},
): SpellingSchema<Value> =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], [spellingsKeyword]: spellings, ...options })

/** Schema options by which unknown fields are refused. */
export const closed = { additionalProperties: false } as const

/** Integers that every JSON reader keeps exact. */
export const safeInteger = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const

const names = new WeakMap<object, string>()
const taken = new Map<string, object>()

/** Names schemas for documents: each schema is written there once, under its name, and referenced elsewhere. A name belongs to one schema only. */
export function nameSchemas(named: Record<string, TSchema>): void {
  for (const [name, schema] of Object.entries(named)) {
    if ((taken.get(name) ?? schema) !== schema) throw new Error(`two schemas are called ${name}`)
    taken.set(name, schema)
    names.set(schema, name)
  }
}

export const nameOfSchema = (schema: object): string | undefined => names.get(schema)
