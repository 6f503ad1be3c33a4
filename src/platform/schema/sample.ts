import type { TSchema } from 'typebox'

interface SampleSchema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  default?: unknown
  properties?: Record<string, SampleSchema>
  required?: string[]
  items?: SampleSchema
  minItems?: number
  minimum?: number
  minLength?: number
  anyOf?: SampleSchema[]
  oneOf?: SampleSchema[]
}

/** A value that the schema accepts: its example, otherwise a minimal value. */
export function sampleOf(schema: TSchema): unknown {
  return sample(schema as SampleSchema)
}

function sample(shape: SampleSchema): unknown {
  if (shape.examples?.length) return shape.examples[0]
  if (shape.const !== undefined) return shape.const
  if (shape.enum) return shape.enum[0]
  if (shape.default !== undefined) return shape.default
  const variant = shape.oneOf?.[0] ?? shape.anyOf?.[0]
  if (variant) return sample(variant)
  const type = Array.isArray(shape.type) ? shape.type[0] : shape.type
  if (type === 'array') return Array.from({ length: shape.minItems ?? 0 }, () => sample(shape.items ?? {}))
  if (type === 'object') {
    const required = shape.required ?? []
    return Object.fromEntries(required.map((name) => [name, sample(shape.properties?.[name] ?? {})]))
  }
  if (type === 'integer' || type === 'number') return shape.minimum ?? 1
  if (type === 'boolean') return true
  return type === 'null' ? null : '…'.padEnd(shape.minLength ?? 1, '…')
}
