/** A JSON Schema (2020-12, with the older tuple form of `items` and `definitions`). */
export type Schema = boolean | SchemaObject
export type SchemaObject = Record<string, unknown>

/** The schema is unsatisfiable, or too hard for the simulator; `path` is the JSON pointer of the problem in the instance. */
export class UnsatisfiableSchema extends Error {
  override name = 'UnsatisfiableSchema'
  readonly path: string

  constructor(reason: string, path: string) {
    super(reason)
    this.path = path
  }
}

/** An upper bound on work: schemas come from callers, and recursive and branching ones grow without end. */
export class WorkLimit {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  spend(path: string, steps = 1): void {
    this.#left -= steps
    if (this.#left < 0) throw new UnsatisfiableSchema('The schema is too complicated for the sandbox.', path)
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value)
}

export function schemaList(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isSchema) : []
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function stringList(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

/** `prefixItems`, or the array form of `items` that drafts before 2020-12 had, with the schema of the rest. */
export function tupleOf(schema: SchemaObject): { first: Schema[]; rest: Schema | undefined } {
  if (Array.isArray(schema['items'])) {
    const rest = schema['additionalItems']
    return { first: schemaList(schema['items']), rest: isSchema(rest) ? rest : undefined }
  }
  const rest = schema['items']
  return { first: schemaList(schema['prefixItems']), rest: isSchema(rest) ? rest : undefined }
}

/** Follows a `$ref` within the document: `#`, a JSON pointer, or an `$anchor` in `$defs`. */
export function resolveRef(root: Schema, ref: string, path: string): Schema {
  if (ref === '#') return root
  let place: unknown = root
  if (ref.startsWith('#/')) {
    for (const step of ref.slice(2).split('/')) {
      const key = decodePointer(step)
      const inside = Array.isArray(place) || isObject(place)
      place =
        inside && Object.hasOwn(place as object, key) ? (place as Record<string, unknown>)[key] : undefined
    }
  } else if (ref.startsWith('#') && isObject(root) && isObject(root['$defs'])) {
    place = Object.values(root['$defs']).find((each) => isObject(each) && each['$anchor'] === ref.slice(1))
  } else place = undefined
  if (!isSchema(place)) throw new UnsatisfiableSchema(`The reference "${ref}" leads nowhere.`, path)
  return place
}

function decodePointer(step: string): string {
  let decoded = step
  try {
    decoded = decodeURIComponent(step)
  } catch {
    // An invalid percent sequence is taken literally.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Deep equality of JSON values. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((each, index) => sameJson(each, right[index]))
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  )
}
