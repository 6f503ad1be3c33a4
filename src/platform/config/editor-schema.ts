/** Builds a JSON Schema of the configuration file, so that editors complete and check it. */
import type { SettingSchema } from './read-schema.ts'
import type { Section } from './section.ts'

type JsonSchema = Record<string, unknown>

/** A `${VARIABLE}` may be used in place of any text or number. */
const variable = '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}'

export const editorSchema = (sections: readonly Section[]): JsonSchema => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'kherad.config.yaml',
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    sections.flatMap(({ name, schema }) => (schema ? [[name, editorOf(schema as SettingSchema)]] : [])),
  ),
})

function editorOf(schema: SettingSchema): JsonSchema {
  const { variants, reading, default: standard } = schema
  const description = schema.description ?? reading?.expected?.en ?? reading?.missing?.en
  return {
    ...(description !== undefined && { description }),
    ...(standard !== undefined && !schema.properties && { default: standard }),
    ...(variants ? variantOf(variants) : shapeOf(schema)),
  }
}

function shapeOf(schema: SettingSchema): JsonSchema {
  const { type, properties, patternProperties, items, minItems, uniqueItems } = schema
  if (properties) {
    const members = membersOf(properties, schema.required ?? [])
    const textMember = schema.reading?.textMember
    return textMember === undefined ? members : { anyOf: [shapeOf(properties[textMember]!), members] }
  }
  if (patternProperties) return { type: 'object', additionalProperties: { type: 'string' } }
  if (type === 'array')
    return {
      type,
      items: editorOf(items!),
      ...(minItems !== undefined && { minItems }),
      ...(uniqueItems && { uniqueItems }),
    }
  if (schema.enum) return { enum: schema.enum }
  if (type === 'number' || type === 'integer')
    return {
      anyOf: [
        { type, minimum: schema.minimum, maximum: schema.maximum },
        { type: 'string', pattern: variable },
      ],
    }
  return {
    ...(type !== undefined && { type }),
    ...(schema.pattern !== undefined && { pattern: `${schema.pattern}|${variable}` }),
  }
}

const membersOf = (properties: Record<string, SettingSchema>, required: readonly string[]): JsonSchema => {
  const needed = required.filter((name) => properties[name]?.default === undefined)
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, editorOf(one)])),
    ...(needed.length > 0 && { required: needed }),
  }
}

/** The member chooses the shape; an entry without the member has the default shape. */
function variantOf({ member, standard, of }: NonNullable<SettingSchema['variants']>): JsonSchema {
  const names = Object.keys(of)
  return {
    type: 'object',
    properties: { [member]: { enum: names, default: standard } },
    allOf: names.map((name) => ({
      if: {
        properties: { [member]: { const: name } },
        ...(name !== standard && { required: [member] }),
      },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
      then: editorOf(of[name]!),
    })),
  }
}
