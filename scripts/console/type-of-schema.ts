/** JSON Schema as a type of TypeScript, as far as the schemas of routes go. */

interface Shape {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Shape[]
  oneOf?: Shape[]
  allOf?: Shape[]
  properties?: Record<string, Shape>
  required?: string[]
  additionalProperties?: Shape | boolean
  patternProperties?: Record<string, Shape>
  items?: Shape
}

/** The type in one line. What a schema leaves open is `unknown`. */
export function typeOf(schema: object): string {
  const shape = schema as Shape
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (shape.enum) return union(shape.enum.map((value) => JSON.stringify(value)))
  const choices = shape.anyOf ?? shape.oneOf
  if (choices) return union(choices.map(typeOf))
  if (shape.allOf) return shape.allOf.map((part) => `(${typeOf(part)})`).join(' & ')
  if (Array.isArray(shape.type)) return union(shape.type.map((type) => typeOf({ ...shape, type })))
  return ofType(shape)
}

function ofType(shape: Shape): string {
  switch (shape.type) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return shape.items ? `(${typeOf(shape.items)})[]` : 'unknown[]'
    default:
      return shape.type === 'object' || shape.properties ? ofObject(shape) : 'unknown'
  }
}

function ofObject({
  properties = {},
  required = [],
  additionalProperties,
  patternProperties,
}: Shape): string {
  const members = Object.entries(properties).map(
    ([name, shape]) => `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(shape)}`,
  )
  const open = Object.values(patternProperties ?? {})[0] ?? additionalProperties
  if (members.length > 0) return `{ ${members.join('; ')} }`
  if (open === false) return 'Record<string, never>'
  return `Record<string, ${typeof open === 'object' ? typeOf(open) : 'unknown'}>`
}

const union = (types: string[]): string => [...new Set(types)].join(' | ')
