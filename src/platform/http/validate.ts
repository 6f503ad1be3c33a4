import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { fail } from '#platform/errors'
import { whyOf } from './why.ts'

const options = {
  allErrors: false,
  strict: false,
  discriminator: true,
  validateFormats: false,
  // An error brings its schema along, from which `whyOf` reads the values that would do.
  verbose: true,
} as const
const bodies = new Ajv2020(options)
/** Query and path parameters come as text. */
const texts = new Ajv2020({ ...options, coerceTypes: true, useDefaults: true })

export type Check = (value: unknown) => void

/** A check that throws INVALID_REQUEST or UNKNOWN_FIELD with the path of the first offence in `param`. */
export function compile(schema: TSchema, of: 'body' | 'text'): Check {
  const validate = (of === 'body' ? bodies : texts).compile(schema)
  return (value) => {
    if (!validate(value)) refuse(validate)
  }
}

/** For the tests' check of our own replies: the first offence as a sentence, or undefined. */
export function mismatch(schema: TSchema): (value: unknown) => string | undefined {
  const validate = bodies.compile(schema)
  return (value) =>
    validate(value)
      ? undefined
      : `${pathOf(mostTelling(validate.errors ?? []))} ${validate.errors?.[0]?.message ?? ''}`
}

function refuse(validate: ValidateFunction): never {
  const error = mostTelling(validate.errors ?? [])
  const param = pathOf(error)
  if (error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties')
    fail('UNKNOWN_FIELD', { field: param }, { param })
  fail('INVALID_REQUEST', { why: whyOf(error, param) }, param === '' ? {} : { param })
}

/** Of the errors of all branches of a union, the one that got furthest into the value. */
function mostTelling(errors: ErrorObject[]): ErrorObject {
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
