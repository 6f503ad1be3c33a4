import { testPattern } from './pattern-match.ts'
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
  tupleOf,
  type WorkLimit,
} from './schema-shape.ts'

/**
 * Whether a value is valid. Supports the validating keywords of 2020-12 except `unevaluated*`, `$dynamicRef` and references to other
 * documents; `format` is an annotation. Throws `UnsatisfiableSchema` when the effort is used up.
 */
export function matches(schema: Schema, value: unknown, root: Schema, effort: WorkLimit): boolean {
  effort.spend('')
  if (typeof schema === 'boolean') return schema
  const check = (part: Schema, instance: unknown) => matches(part, instance, root, effort)
  if (typeof schema['$ref'] === 'string' && !check(resolveRef(root, schema['$ref'], ''), value)) return false
  const types = stringList(schema['type'])
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false
  if (schema['const'] !== undefined && !sameJson(schema['const'], value)) return false
  if (Array.isArray(schema['enum']) && !schema['enum'].some((each) => sameJson(each, value))) return false
  if (!combinations(schema, value, check)) return false
  if (typeof value === 'string') return stringFits(schema, value, effort)
  if (typeof value === 'number') return numberFits(schema, value)
  if (Array.isArray(value)) return arrayFits(schema, value, check)
  return isObject(value) ? objectFits(schema, value, check, effort) : true
}

type SchemaChecker = (schema: Schema, value: unknown) => boolean

export function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

function combinations(schema: SchemaObject, value: unknown, check: SchemaChecker): boolean {
  if (!schemaList(schema['allOf']).every((part) => check(part, value))) return false
  const any = schemaList(schema['anyOf'])
  if (any.length > 0 && !any.some((part) => check(part, value))) return false
  const one = schemaList(schema['oneOf'])
  if (one.length > 0 && one.filter((part) => check(part, value)).length !== 1) return false
  if (isSchema(schema['not']) && check(schema['not'], value)) return false
  if (!isSchema(schema['if'])) return true
  const then = check(schema['if'], value) ? schema['then'] : schema['else']
  return isSchema(then) ? check(then, value) : true
}

function stringFits(schema: SchemaObject, value: string, effort: WorkLimit): boolean {
  const length = [...value].length
  if (length < (numberOf(schema['minLength']) ?? 0)) return false
  if (length > (numberOf(schema['maxLength']) ?? Infinity)) return false
  return typeof schema['pattern'] === 'string' ? testPattern(schema['pattern'], value, effort) : true
}

function numberFits(schema: SchemaObject, value: number): boolean {
  if (value < (numberOf(schema['minimum']) ?? -Infinity)) return false
  if (value > (numberOf(schema['maximum']) ?? Infinity)) return false
  if (value <= (numberOf(schema['exclusiveMinimum']) ?? -Infinity)) return false
  if (value >= (numberOf(schema['exclusiveMaximum']) ?? Infinity)) return false
  const step = numberOf(schema['multipleOf'])
  return step === undefined || Number.isInteger(value / step)
}

function arrayFits(schema: SchemaObject, value: unknown[], check: SchemaChecker): boolean {
  if (value.length < (numberOf(schema['minItems']) ?? 0)) return false
  if (value.length > (numberOf(schema['maxItems']) ?? Infinity)) return false
  const { first, rest } = tupleOf(schema)
  if (!value.every((each, index) => check(first[index] ?? rest ?? true, each))) return false
  if (schema['uniqueItems'] === true && !allDifferent(value)) return false
  if (!isSchema(schema['contains'])) return true
  const contains = schema['contains']
  const found = value.filter((each) => check(contains, each)).length
  return (
    found >= (numberOf(schema['minContains']) ?? 1) && found <= (numberOf(schema['maxContains']) ?? Infinity)
  )
}

export function allDifferent(value: readonly unknown[]): boolean {
  return value.every((each, index) => !value.slice(0, index).some((earlier) => sameJson(earlier, each)))
}

function objectFits(
  schema: SchemaObject,
  value: Record<string, unknown>,
  check: SchemaChecker,
  effort: WorkLimit,
): boolean {
  const names = Object.keys(value)
  if (!stringList(schema['required']).every((name) => Object.hasOwn(value, name))) return false
  if (names.length < (numberOf(schema['minProperties']) ?? 0)) return false
  if (names.length > (numberOf(schema['maxProperties']) ?? Infinity)) return false
  const nameRule = schema['propertyNames']
  if (isSchema(nameRule) && !names.every((name) => check(nameRule, name))) return false
  if (!names.every((name) => schemasOf(schema, name, effort).every((part) => check(part, value[name]))))
    return false
  const dependent = Object.entries(isObject(schema['dependentRequired']) ? schema['dependentRequired'] : {})
  return dependent.every(
    ([name, needed]) =>
      !Object.hasOwn(value, name) || stringList(needed).every((other) => Object.hasOwn(value, other)),
  )
}

/** The schemas that apply to the property of this name. */
export function schemasOf(schema: SchemaObject, name: string, effort: WorkLimit): Schema[] {
  const found: Schema[] = []
  const own = isObject(schema['properties']) && Object.hasOwn(schema['properties'], name)
  const declared = own ? (schema['properties'] as SchemaObject)[name] : undefined
  if (isSchema(declared)) found.push(declared)
  for (const [pattern, part] of Object.entries(
    isObject(schema['patternProperties']) ? schema['patternProperties'] : {},
  ))
    if (isSchema(part) && testPattern(pattern, name, effort)) found.push(part)
  if (found.length > 0) return found
  return isSchema(schema['additionalProperties']) ? [schema['additionalProperties']] : []
}
