/**
 * JSON Schemas compiled in small units, each when a value first needs it. The time of one compilation grows faster than its schema: as one function
 * the body of messages.create took a second of CPU. A block that occurs in several schemas is one unit and is compiled once.
 *
 * A unit gives the same result as its schema would in its place, with the same errors in the same order: it is called as Ajv calls a `$ref`, but is
 * not compiled in advance.
 */
import type { Ajv2020, ErrorObject, KeywordCxt, ValidateFunction } from 'ajv/dist/2020.js'
import { callRef } from 'ajv/dist/vocabularies/core/ref.js'
import { nameOfSchema } from '#platform/schema'

/** The maximum schemas in one compiled function: compiling that many takes some milliseconds, even in a new process. */
export const maxWeight = 48
/** Smaller schemas are not split off, since the call would cost more than it saves. */
const minWeight = 4

type Json = Record<string, unknown>
type DataContext = NonNullable<Parameters<ValidateFunction>[1]>

/** A schema after its large parts were split off, with the number of schemas that remain in it. */
interface DividedSchema {
  schema: unknown
  weight: number
  parts: ReadonlySet<Unit>
}

/** Keywords whose member schemas can be split off; schemas under all other keywords (`if`, `not`) stay in place. */
const listKeywords = new Set(['allOf', 'anyOf', 'oneOf'])
const schemaKeywords = new Set(['items', 'then', 'else', 'additionalProperties'])
/** Keywords that are refused, because they depend on what other keywords have evaluated, which is not known across units. */
const refused = ['$ref', '$dynamicRef', 'unevaluatedProperties', 'unevaluatedItems']
/** Annotations: schemas that differ only in these share one unit. */
const annotations = new Set(['description', 'x-description-fa', 'examples', 'title'])

/** One schema with the units to which it refers: a function that is compiled when it is first called. */
export class Unit {
  readonly schema: object
  readonly weight: number
  readonly parts: ReadonlySet<Unit>
  /** The check in the form that Ajv expects. */
  readonly validate: ValidateFunction
  readonly #ajv: Ajv2020
  #made: ValidateFunction | undefined

  constructor(ajv: Ajv2020, { schema, weight, parts }: DividedSchema) {
    this.#ajv = ajv
    this.schema = schema as object
    this.weight = weight
    this.parts = parts
    const check: { (value: unknown, dataContext?: DataContext): boolean; errors?: ErrorObject[] | null } = (
      value,
      dataContext,
    ) => {
      const made = this.compile()
      const holds = made(value, dataContext)
      check.errors = made.errors ?? null
      return holds
    }
    this.validate = check as unknown as ValidateFunction
  }

  get isCompiled(): boolean {
    return this.#made !== undefined
  }

  compile(): ValidateFunction {
    this.#made ??= this.#ajv.compile(this.schema)
    return this.#made
  }

  /** This unit and all units that it needs, parts before the units that contain them; each once. */
  *all(seen: Set<Unit> = new Set()): Generator<Unit> {
    if (seen.has(this)) return
    seen.add(this)
    for (const part of this.parts) yield* part.all(seen)
    yield this
  }
}

export class SchemaUnits {
  readonly #ajv: Ajv2020
  readonly #units: Unit[] = []
  readonly #bySchema = new WeakMap<object, Unit>()
  readonly #byText = new Map<string, number>()
  readonly #divided = new WeakMap<object, DividedSchema>()

  constructor(ajv: Ajv2020) {
    this.#ajv = ajv
    ajv.opts.unevaluated = false
    ajv.addKeyword({
      keyword: 'unit',
      schemaType: 'number',
      code: (cxt: KeywordCxt) =>
        callRef(cxt, cxt.gen.scopeValue('validate', { ref: this.#units[cxt.schema]!.validate })),
    })
  }

  of(schema: object): Unit {
    const known = this.#bySchema.get(schema)
    if (known) return known
    const unit = this.#units[this.#unitOf(this.#divide(schema))]!
    this.#bySchema.set(schema, unit)
    return unit
  }

  #unitOf(divided: DividedSchema): number {
    const text = JSON.stringify(divided.schema)
    const known = this.#byText.get(text)
    if (known !== undefined) return known
    const id = this.#units.push(new Unit(this.#ajv, divided)) - 1
    this.#byText.set(text, id)
    return id
  }

  #divide(schema: unknown): DividedSchema {
    if (typeof schema !== 'object' || schema === null) return { schema, weight: 0, parts: new Set() }
    const known = this.#divided.get(schema)
    if (known) return known
    const made = this.#divideAnew(schema as Json)
    this.#divided.set(schema, made)
    return made
  }

  #divideAnew(schema: Json): DividedSchema {
    const stranger = refused.find((keyword) => keyword in schema)
    if (stranger !== undefined) throw new Error(`a schema of a route uses ${stranger}`)
    const slots: Slot[] = []
    const copy: Json = {}
    for (const [keyword, value] of Object.entries(schema))
      if (!annotations.has(keyword)) this.#copyKeyword(schema, keyword, value, copy, slots)
    const own = 1 + schemasIn(schema['if']) + schemasIn(schema['not'])
    let weight = slots.reduce((sum, { divided }) => sum + divided.weight, own)
    const parts = new Set<Unit>()
    for (const slot of slots.toSorted((a, b) => b.divided.weight - a.divided.weight)) {
      const { divided, isNamed } = slot
      const isApart = isNamed || (weight > maxWeight && divided.weight >= minWeight)
      if (isApart) {
        const id = this.#unitOf(divided)
        slot.put({ ...slot.shell, unit: id })
        parts.add(this.#units[id]!)
        weight += 1 - divided.weight
      } else for (const part of divided.parts) parts.add(part)
    }
    return { schema: copy, weight, parts }
  }

  /** Copies a keyword, dividing every schema in it; each schema becomes a slot that can be replaced by a unit. */
  #copyKeyword(parent: Json, keyword: string, value: unknown, copy: Json, slots: Slot[]): void {
    const divideInto = (holder: Json, name: string, child: unknown, shell: Json = {}): void => {
      const divided = this.#divide(child)
      holder[name] = divided.schema
      if (divided.weight === 0) return
      const put = (unit: Json): void => {
        holder[name] = unit
      }
      slots.push({ divided, isNamed: nameOfSchema(child as object) !== undefined, shell, put })
    }
    if (schemaKeywords.has(keyword)) divideInto(copy, keyword, value)
    else if (keyword === 'properties') {
      const holder: Json = {}
      for (const [name, child] of Object.entries(value as Json)) divideInto(holder, name, child)
      copy[keyword] = holder
    } else if (listKeywords.has(keyword)) {
      const holder: unknown[] = []
      const tag = keyword === 'oneOf' ? tagOf(parent) : undefined
      for (const [index, child] of (value as Json[]).entries())
        divideInto(holder as unknown as Json, String(index), child, shellOf(child, tag))
      copy[keyword] = holder
    } else copy[keyword] = value
  }
}

interface Slot {
  divided: DividedSchema
  isNamed: boolean
  /** Members that stay beside the reference to the unit. */
  shell: Json
  put(unit: Json): void
}

const tagOf = ({ discriminator }: Json): string | undefined =>
  (discriminator as { propertyName?: string } | undefined)?.propertyName

/** A tagged union uses this property to find its variants, and to name the known tags in a refusal. */
const shellOf = (variant: Json, tag: string | undefined): Json =>
  tag === undefined ? {} : { properties: { [tag]: (variant['properties'] as Json)[tag] } }

const schemasIn = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : 1 + Object.values(value).reduce<number>((sum, member) => sum + schemasIn(member), 0)
