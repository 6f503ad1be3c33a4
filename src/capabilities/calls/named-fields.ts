/** Headers that name what was not applied as it was sent. */
import type { TObject } from 'typebox'
import type { RequestContext } from '#platform/http'

/** At most so many are named. */
const maxNamed = 50

/** Names what was sent and has no effect in the header `X-Ignored-Fields` (decisions §4). */
export function setIgnoredFields(
  context: Pick<RequestContext, 'setHeader'>,
  fields: readonly string[],
): void {
  const named = fields.map((field) => field.replace(/[^\w.-]/g, '?').slice(0, 60)).slice(0, maxNamed)
  if (named.length > 0) context.setHeader('x-ignored-fields', named.join(', '))
}

/** What of a body its schema does not name. */
export const unnamedFields = (body: object, { properties }: TObject): string[] =>
  Object.keys(body).filter((field) => !(field in properties))

/** A field that is applied with another value than was sent. */
export interface Applied {
  /** As the caller would write it: `tools.0.max_uses`. */
  param: string
  applied: number | string
}

/** Names them with the values that were applied. */
export function setAppliedFields(
  context: Pick<RequestContext, 'setHeader'>,
  header: 'x-clamped-fields' | 'x-mapped-fields',
  fields: readonly Applied[],
): void {
  const named = fields.slice(0, maxNamed).map(({ param, applied }) => `${param}=${applied}`)
  if (named.length > 0) context.setHeader(header, named.join(', '))
}
