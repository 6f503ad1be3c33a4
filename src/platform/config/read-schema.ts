/** Reads a value of the file according to the TypeBox schema that declares it. */
import { type Static, type TSchema, type TUnsafe, Type } from 'typebox'
import { phrases, type Sentence } from './phrases.ts'
import { refuseConfig } from './refuse.ts'
import type { ConfigNode } from './yaml-reader.ts'

/** The member `reading` of a schema: the messages of its refusals, and what JSON Schema cannot express. */
export interface ReadingRules<Value = never> {
  /** Completes `… is missing: `. */
  missing?: Sentence
  /** Completes `…: write ` in the refusal of a wrong value. */
  expected?: Sentence
  /** True for a secret: no message repeats the value. */
  secret?: true
  /** True if the value is a path of a file, relative to the folder of the configuration file. */
  file?: true
  /** For an object: a text in its place is read as this member, and all other members get their defaults. */
  textMember?: string
  /** Refuses values that the schema alone accepts. */
  check?(value: Value, node: ConfigNode): void
  /** Converts the text; the schema then declares the type of the result (`Type.Unsafe`). */
  convert?(value: Value, node: ConfigNode): unknown
}

/** The part of JSON Schema that settings use. */
export interface SettingSchema {
  type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean'
  properties?: Record<string, SettingSchema>
  patternProperties?: Record<string, SettingSchema>
  required?: readonly string[]
  items?: SettingSchema
  minItems?: number
  uniqueItems?: boolean
  enum?: readonly string[]
  pattern?: string
  maxLength?: number
  minimum?: number
  maximum?: number
  default?: unknown
  description?: string
  reading?: ReadingRules
  variants?: Variants
}

/** Objects of several shapes, distinguished by one member: `kind: circle`. */
export interface Variants {
  member: string
  standard: string
  of: Record<string, SettingSchema>
}

/** The schema of an object with one of several shapes: `member` names the shape, `standard` is the shape when `member` is absent. */
export const variantsOf = <Value>(
  member: string,
  standard: string,
  of: Record<string, TSchema>,
  more: { reading?: ReadingRules<Value> } = {},
): TUnsafe<Value> => Type.Unsafe<Value>({ type: 'object', variants: { member, standard, of }, ...more })

/** Schema options for `readSchema`. */
export const readingRules = <Value>(more: ReadingRules<Value>) => ({ reading: more })

/** Reads the value of a node and fills in defaults. An absent node gives the default of the schema, or undefined. Throws `StartRefused`. */
export function readSchema<Schema extends TSchema>(
  schema: Schema,
  node: ConfigNode | undefined,
): Static<Schema> {
  return readValue(schema as SettingSchema, node) as Static<Schema>
}

function readValue(schema: SettingSchema, node: ConfigNode | undefined): unknown {
  if (!node) {
    if (schema.default === undefined) return undefined
    return schema.properties
      ? membersOf(schema, schema.properties, undefined)
      : structuredClone(schema.default)
  }
  const value = shapeOf(schema, node)
  const { check, convert } = (schema.reading ?? {}) as ReadingRules<unknown>
  check?.(value, node)
  return convert ? convert(value, node) : value
}

function shapeOf(schema: SettingSchema, node: ConfigNode): unknown {
  if (schema.variants) return readVariant(schema.variants, node)
  if (schema.properties) return readObject(schema, schema.properties, node)
  if (schema.enum) return node.oneOf(schema.enum)
  switch (schema.type) {
    case 'object':
      return node.textMap()
    case 'array':
      return readList(schema, node)
    case 'boolean':
      return node.flag()
    case 'number':
    case 'integer':
      return node.number({
        min: schema.minimum ?? -Number.MAX_SAFE_INTEGER,
        max: schema.maximum ?? Number.MAX_SAFE_INTEGER,
        integer: schema.type === 'integer',
      })
    case 'string':
      return readText(schema, node)
    default:
      // Without a type, `convert` reads the node itself.
      return undefined
  }
}

function readObject(
  schema: SettingSchema,
  properties: Record<string, SettingSchema>,
  node: ConfigNode,
): Record<string, unknown> {
  const textMember = schema.reading?.textMember
  if (textMember === undefined || !node.isText) return membersOf(schema, properties, node)
  const value = readValue(properties[textMember]!, node)
  return { ...membersOf(schema, properties, undefined), [textMember]: value }
}

function readText(
  { pattern, maxLength, reading: { expected, secret, file } = {} }: SettingSchema,
  node: ConfigNode,
) {
  const shape = pattern === undefined ? undefined : new RegExp(pattern)
  if (secret) return node.secret(expected, shape)
  if (file) return node.file(expected ?? { en: 'the path of a file', fa: 'نشانی یک فایل' })
  const text = node.text(expected, shape)
  return maxLength !== undefined && text.length > maxLength ? node.refuseValue(expected!) : text
}

function readList(
  { items, minItems = 0, uniqueItems, reading: { expected } = {} }: SettingSchema,
  node: ConfigNode,
) {
  const seen: unknown[] = []
  for (const item of node.list()) {
    const value = readValue(items!, item)
    if (uniqueItems && seen.includes(value))
      refuseConfig(phrases.duplicate(item.sourcePosition(), String(value)))
    seen.push(value)
  }
  const needed = { en: `a list of at least ${minItems}`, fa: `فهرستی با دست‌کم ${minItems} عضو` }
  return seen.length >= minItems ? seen : node.refuseValue(expected ?? needed)
}

function readVariant({ member, standard, of }: Variants, node: ConfigNode): unknown {
  const tag = node.find(member)?.oneOf(Object.keys(of)) ?? standard
  return readValue(of[tag]!, node)
}

/** Reads members in the order of their declaration; a member that is absent and has no default is left out. */
function membersOf(
  { required = [] }: SettingSchema,
  properties: Record<string, SettingSchema>,
  node: ConfigNode | undefined,
): Record<string, unknown> {
  const members = node?.members(Object.keys(properties))
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const needed = required.includes(name) && schema.default === undefined
    const member = needed ? members?.need(name, missingOf(schema)) : members?.get(name)
    const value = readValue(schema, member)
    if (value !== undefined) values[name] = value
  }
  return values
}

const missingOf = ({ reading: { missing, expected } = {} }: SettingSchema): Sentence =>
  missing ?? {
    en: `write ${expected?.en ?? 'its value'}`,
    fa: expected ? `${expected.fa} بنویسید` : 'مقدار آن را بنویسید',
  }
