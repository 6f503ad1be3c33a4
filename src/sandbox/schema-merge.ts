import {
  isObject,
  isSchema,
  numberOf,
  resolveRef,
  type Schema,
  type SchemaObject,
  sameJson,
  schemaList,
  stringList,
  UnsatisfiableSchema,
  type WorkLimit,
} from './schema-shape.ts'

/** Resolves references and merges `allOf`, so that the result has neither at its top level. */
export function flatten(schema: Schema, root: Schema, path: string, effort: WorkLimit, hops = 0): Schema {
  effort.spend(path)
  if (hops > 64) throw new UnsatisfiableSchema('The schema refers to itself without end.', path)
  if (typeof schema === 'boolean') return schema
  let flat: Schema = schema
  if (typeof schema['$ref'] === 'string') {
    const { $ref, ...rest } = schema
    const target = flatten(resolveRef(root, schema['$ref'], path), root, path, effort, hops + 1)
    flat = merge(rest, target, path)
  }
  if (typeof flat === 'boolean' || !Array.isArray(flat['allOf'])) return flat
  const { allOf, ...rest } = flat
  return schemaList(allOf).reduce<Schema>(
    (joined, part) => merge(joined, flatten(part, root, path, effort, hops + 1), path),
    rest,
  )
}

const lowest = new Set([
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxContains',
])
const highest = new Set([
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'minProperties',
  'minContains',
])
const asAllOf = new Set(['items', 'additionalProperties', 'contains', 'propertyNames', 'additionalItems'])

/** One schema that requires what both require, as far as keywords can be merged; the rest goes into `allOf`. */
export function merge(left: Schema, right: Schema, path: string): Schema {
  if (left === false || right === false) return false
  if (left === true) return right
  if (right === true) return left
  const joined: SchemaObject = { ...left }
  for (const [key, value] of Object.entries(right)) {
    const there = joined[key]
    if (there === undefined || sameJson(there, value)) joined[key] = value
    else if (!join(joined, key, there, value, path))
      return { ...left, allOf: [...schemaList(left['allOf']), right] }
  }
  return closeProperties(joined, left, right)
}

/** Merges one keyword that both schemas have; returns false when it cannot be merged. */
function join(joined: SchemaObject, key: string, there: unknown, value: unknown, path: string): boolean {
  if (lowest.has(key)) joined[key] = Math.min(numberOf(there) ?? Infinity, numberOf(value) ?? Infinity)
  else if (highest.has(key))
    joined[key] = Math.max(numberOf(there) ?? -Infinity, numberOf(value) ?? -Infinity)
  else if (key === 'type') joined[key] = joinTypes(stringList(there), stringList(value), path)
  else if (key === 'required') joined[key] = [...new Set([...stringList(there), ...stringList(value)])]
  else if (key === 'enum' && Array.isArray(there) && Array.isArray(value))
    joined[key] = there.filter((each) => value.some((other) => sameJson(each, other)))
  else if (key === 'properties' || key === 'patternProperties') joined[key] = joinProperties(there, value)
  else if (asAllOf.has(key) && isSchema(there) && isSchema(value)) joined[key] = { allOf: [there, value] }
  else if (key === 'uniqueItems') joined[key] = there === true || value === true
  else if (!annotations.has(key)) return false
  return true
}

const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  '$comment',
  '$defs',
  '$id',
])

function joinTypes(left: string[], right: string[], path: string): string[] {
  const both = left.flatMap((type) => {
    if (right.includes(type)) return [type]
    const narrower =
      (type === 'integer' && right.includes('number')) || (type === 'number' && right.includes('integer'))
    return narrower ? ['integer'] : []
  })
  if (both.length === 0) throw new UnsatisfiableSchema('The schema asks for two types at once.', path)
  return both
}

function joinProperties(left: unknown, right: unknown): SchemaObject {
  const joined = new Map(Object.entries(isObject(left) ? left : {}))
  for (const [name, schema] of Object.entries(isObject(right) ? right : {})) {
    const there = joined.get(name)
    joined.set(name, isSchema(there) && isSchema(schema) ? { allOf: [there, schema] } : schema)
  }

  return Object.fromEntries(joined)
}

/** If one side forbids additional properties, the other side's own properties are forbidden too. */
function closeProperties(joined: SchemaObject, left: SchemaObject, right: SchemaObject): SchemaObject {
  if (!isObject(joined['properties'])) return joined
  const allowed = (side: SchemaObject, name: string) =>
    side['additionalProperties'] !== false ||
    isObject(side['patternProperties']) ||
    (isObject(side['properties']) && Object.hasOwn(side['properties'], name))
  const kept = Object.entries(joined['properties']).map(([name, schema]) =>
    allowed(left, name) && allowed(right, name) ? [name, schema] : [name, false],
  )
  return { ...joined, properties: Object.fromEntries(kept) }
}
