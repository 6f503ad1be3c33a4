import {
  _,
  Ajv2020,
  type ErrorObject,
  type KeywordCxt,
  type Name,
  str,
  type ValidateFunction,
} from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { fail } from '#platform/errors'
import { essenceOf, spellingsKeyword } from '#platform/schema'
import { Slice } from '#platform/slices'
import type { Route } from './http.ts'
import { messageOf } from './schema-message.ts'
import { SchemaUnits } from './schema-units.ts'

const options = {
  allErrors: false,
  strict: false,
  discriminator: true,
  validateFormats: false,
  // Errors include their schema, from which `messageOf` reads the allowed values.
  verbose: true,
  // The tests check every schema against the specification, as it appears in /openapi.json.
  validateSchema: false,
  meta: false,
  // This optimisation of Ajv costs twice what it saves: V8 inlines frequent checks itself.
  code: { optimize: false },
} as const
const bodies = new SchemaUnits(withKeywords(new Ajv2020(options)))
/** Query and path parameters arrive as text. */
const texts = withKeywords(new Ajv2020({ ...options, coerceTypes: true, useDefaults: true }))

function withKeywords(ajv: Ajv2020): Ajv2020 {
  return withSpellings(withQuickLengths(ajv))
}

/** The longest spelling that is looked at: longer ones are none. */
const maxSpelling = 200

/** Puts values in the place of their spellings (`spelled` of `#platform/schema`) before `enum` is checked. */
function withSpellings(ajv: Ajv2020): Ajv2020 {
  const replace = (
    spellings: Record<string, string>,
    value: unknown,
    _schema?: object,
    place?: PlaceOfValue,
  ) => {
    if (typeof value !== 'string' || value.length > maxSpelling || !place) return true
    const plain = essenceOf(value)
    place.parentData[place.parentDataProperty] = Object.hasOwn(spellings, plain) ? spellings[plain] : plain
    return true
  }
  const keyword = { keyword: spellingsKeyword, schemaType: 'object', before: 'const' } as const
  ajv.addKeyword({ ...keyword, modifying: true, errors: false, validate: replace })
  return ajv
}

interface PlaceOfValue {
  parentData: Record<string | number, unknown>
  parentDataProperty: string | number
}

/**
 * JSON Schema counts the length of strings in characters, not UTF-16 units, and Ajv always counts them: 60 ms for 27 MB of Base64. Here characters
 * are counted only if the number of units does not decide, which never happens for long strings of a bounded body.
 */
function withQuickLengths(ajv: Ajv2020): Ajv2020 {
  const charactersOf = (text: string): number => {
    let pairs = 0
    for (let at = 0; at < text.length; at++) {
      if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue
      pairs++
      at++
    }
    return text.length - pairs
  }
  const keyword = (name: 'minLength' | 'maxLength', isBroken: (cxt: KeywordCxt, count: Name) => void) => {
    ajv.removeKeyword(name)
    ajv.addKeyword({
      keyword: name,
      type: 'string',
      schemaType: 'number',
      before: 'pattern',
      error: {
        message: ({ schemaCode }) =>
          str`must NOT have ${name === 'maxLength' ? 'more' : 'fewer'} than ${schemaCode} characters`,
        params: ({ schemaCode }) => _`{limit: ${schemaCode}}`,
      },
      code: (cxt) => isBroken(cxt, cxt.gen.scopeValue('func', { ref: charactersOf })),
    })
  }
  keyword('maxLength', (cxt, count) => {
    const { data, schemaCode: limit } = cxt
    cxt.fail(_`${data}.length > ${limit} && (${data}.length > 2 * ${limit} || ${count}(${data}) > ${limit})`)
  })
  keyword('minLength', (cxt, count) => {
    const { data, schemaCode: limit } = cxt
    cxt.fail(_`${data}.length < 2 * ${limit} && (${data}.length < ${limit} || ${count}(${data}) < ${limit})`)
  })
  return ajv
}

export type Check = (value: unknown) => void

const textChecks = new WeakMap<TSchema, ValidateFunction>()

/** The check of a schema for texts. It is compiled when first needed, and once for each schema. */
function textCheck(schema: TSchema): ValidateFunction {
  const known = textChecks.get(schema)
  if (known) return known
  const made = texts.compile(schema)
  textChecks.set(schema, made)
  return made
}

/** Returns a check that throws INVALID_REQUEST or UNKNOWN_FIELD with the path of the first error in `param`. Compiles when first called. */
export function compile(schema: TSchema, of: 'body' | 'text'): Check {
  return (value) => {
    const validate = of === 'body' ? bodies.of(schema).validate : textCheck(schema)
    if (!validate(value)) refuse(validate.errors)
  }
}

/** Returns a check of path parameters. An invalid parameter is answered as a missing object: NOT_FOUND, with its name in `param`. */
export function compilePath(schema: TSchema): Check {
  return (value) => {
    const validate = textCheck(schema)
    if (!validate(value)) fail('NOT_FOUND', {}, { param: pathOf(deepestError(validate.errors ?? [])) })
  }
}

/** Whether a check of path parameters accepts these. */
export function areParamsValid(check: Check | undefined, params: Record<string, string>): boolean {
  try {
    check?.(params)
    return true
  } catch {
    return false
  }
}

/** Returns a check like `compile`, for bodies of any size: the members of the longest list in a body are checked in slices (`#platform/slices`). */
export function compileLarge(schema: TSchema): (body: unknown) => Promise<void> {
  const lists = new Map<string, object>()
  /** Checks only the members of the list; the rest of the body was checked before. */
  const membersOf = (name: string): ValidateFunction => {
    const { items } = (schema as unknown as { properties: Record<string, ListSchema> }).properties[name]!
    const list = lists.get(name) ?? { type: 'array', items }
    lists.set(name, list)
    return bodies.of(list).validate
  }
  return async (body) => {
    const { validate } = bodies.of(schema)
    const name = largestListName(schema, body)
    if (name === undefined) {
      if (!validate(body)) refuse(validate.errors)
    } else await checkInSlices(validate, membersOf(name), body as Record<string, unknown>, name)
  }
}

/** The name of the longest list of the body whose members can be checked a few at a time. */
function largestListName(schema: TSchema, body: unknown): string | undefined {
  const properties: Record<string, ListSchema> | undefined = (schema as { properties?: never }).properties
  if (!properties || !isPlain(schema) || typeof body !== 'object' || body === null) return undefined
  const lists = Object.entries(body)
    .filter(
      ([name, value]) => Array.isArray(value) && value.length > 1 && isSeparable(properties[name], value),
    )
    .sort(([, one], [, other]) => other.length - one.length)
  return lists[0]?.[0]
}

/** Whether only `properties` defines what the list may contain. */
const isPlain = (schema: TSchema): boolean =>
  !['allOf', 'anyOf', 'oneOf', 'not', 'if', 'dependentSchemas', '$ref'].some((keyword) => keyword in schema)

interface ListSchema {
  items?: unknown
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  contains?: unknown
}

const isSeparable = (schema: ListSchema | undefined, list: unknown[]): boolean =>
  schema?.items !== undefined &&
  !schema.uniqueItems &&
  schema.contains === undefined &&
  (schema.minItems ?? 0) <= 1 &&
  list.length <= (schema.maxItems ?? Number.POSITIVE_INFINITY)

async function checkInSlices(
  validate: ValidateFunction,
  members: ValidateFunction,
  body: Record<string, unknown>,
  name: string,
): Promise<void> {
  const list = body[name] as unknown[]
  const slice = new Slice()
  let atOnce = 1
  for (let at = 0; at < list.length; at += atOnce) {
    atOnce = slice.isOver() ? 1 : Math.min(256, 2 * atOnce)
    if (slice.isOver()) await slice.next()
    const some = list.slice(at, at + atOnce)
    if (at === 0) {
      if (!validate({ ...body, [name]: some })) refuse(validate.errors)
    } else if (!members(some)) {
      refuse(
        members.errors?.map((error) => ({
          ...error,
          instancePath: pathInBody(error.instancePath, name, at),
        })),
      )
    }
  }
}

/** The path of an error in the whole body, for a slice that begins at the list's `by`th member. */
function pathInBody(path: string, list: string, by: number): string {
  const [root, index, ...rest] = path.split('/')
  return [root, list.replaceAll('~', '~0').replaceAll('/', '~1'), Number(index) + by, ...rest].join('/')
}

/** One compilation that a first request would otherwise wait for. */
export interface WarmStep {
  /** The name for the log. */
  name: string
  run(): void
}

/** Yields steps that compile the missing checks of this route; each takes little time. */
export function* compileSteps({
  operation: name,
  body,
  otherBody,
  upload,
  query,
  params,
}: Route): Generator<WarmStep> {
  for (const schema of [body, otherBody])
    for (const unit of schema ? bodies.of(schema).all() : [])
      if (!unit.isCompiled) yield { name, run: () => void unit.compile() }
  for (const schema of [upload?.fields, query, params])
    if (schema && !textChecks.has(schema)) yield { name, run: () => void textCheck(schema) }
}

/** For tests, which check our own answers: the first violation as a sentence, or undefined. */
export function mismatch(schema: TSchema): (value: unknown) => string | undefined {
  return (value) => {
    const { validate } = bodies.of(schema)
    return validate(value)
      ? undefined
      : `${pathOf(deepestError(validate.errors ?? []))} ${validate.errors?.[0]?.message ?? ''}`
  }
}

function refuse(errors: ErrorObject[] | null | undefined): never {
  const error = deepestError(errors ?? [])
  const param = pathOf(error)
  if (error.keyword === 'additionalProperties') fail('UNKNOWN_FIELD', { field: param }, { param })
  fail('INVALID_REQUEST', { why: messageOf(error, param) }, param === '' ? {} : { param })
}

/** Among the errors of all branches of a union, the error deepest inside the value. */
function deepestError(errors: ErrorObject[]): ErrorObject {
  const rank = (error: ErrorObject): number =>
    error.instancePath.split('/').length * 2 +
    (error.keyword === 'anyOf' || error.keyword === 'oneOf' ? 0 : 1)
  return errors.reduce((best, error) => (rank(error) > rank(best) ? error : best), errors[0]!)
}

function pathOf(error: ErrorObject): string {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer)
  if (error.keyword === 'required') path.push(error.params.missingProperty)
  if (error.keyword === 'additionalProperties') path.push(error.params.additionalProperty)
  if (error.keyword === 'discriminator') path.push(error.params.tag)
  return path.join('.').slice(0, 200)
}

const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')
