/** Headers that name what was not applied as it was sent. */
import type { TObject } from 'typebox'
import type { RequestContext } from '#platform/http'

/** The most fields that one header names. */
const maxNamed = 50

/** Lists fields that were sent and have no effect in the header `X-Ignored-Fields` (decisions §4). */
export function setIgnoredFields(
  context: Pick<RequestContext<unknown>, 'setHeader'>,
  fields: readonly string[],
): void {
  const named = fields.map((field) => field.replace(/[^\w.-]/g, '?').slice(0, 60)).slice(0, maxNamed)
  if (named.length > 0) context.setHeader('x-ignored-fields', named.join(', '))
}

/** The fields of a body that its schema does not have. */
export const unknownFields = (body: object, { properties }: TObject): string[] =>
  Object.keys(body).filter((field) => !(field in properties))

/** A field that is applied with another value than was sent. */
export interface AppliedField {
  /** The path of the field as the caller would write it: `tools.0.max_uses`. */
  param: string
  applied: number | string
}

/** Lists fields with the values that were applied, in `header`. */
export function setAppliedFields(
  context: Pick<RequestContext<unknown>, 'setHeader'>,
  header: 'x-clamped-fields' | 'x-mapped-fields',
  fields: readonly AppliedField[],
): void {
  const named = fields.slice(0, maxNamed).map(({ param, applied }) => `${param}=${applied}`)
  if (named.length > 0) context.setHeader(header, named.join(', '))
}
