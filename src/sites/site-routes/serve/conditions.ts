/** Conditional requests and ranges (RFC 9110, sections 13 and 14). */
import type { IncomingHttpHeaders } from 'node:http'
import { acceptedQuality, acceptsByName, type ByteRange, refusesType, requestedRange } from '#platform/http'

const page = 'text/html'

export interface Validators {
  etag: string
  /** The date as `Last-Modified` has it. */
  modified: string | undefined
}

export type ConditionResult = 'send' | 'not-modified' | 'failed'

/** The outcome of a request's conditions. Dates are compared as texts: a version that is older again after a rollback is another one, too. */
export function conditionOf(headers: IncomingHttpHeaders, { etag, modified }: Validators): ConditionResult {
  const match = headers['if-match']
  if (match !== undefined) {
    if (!listsTag(match, etag, false)) return 'failed'
  } else {
    const unmodified = headers['if-unmodified-since']
    if (unmodified !== undefined && modified !== undefined && isLater(modified, unmodified)) return 'failed'
  }
  const known = headers['if-none-match']
  if (known !== undefined) return listsTag(known, etag, true) ? 'not-modified' : 'send'
  const since = headers['if-modified-since']
  return since !== undefined && since === modified ? 'not-modified' : 'send'
}

/** Whether the list of tags has this one; weak tags count only with `weakly`, where the same meaning is enough and the bytes may differ. */
function listsTag(list: string, etag: string, weakly: boolean): boolean {
  if (list === etag || list.trim() === '*') return true
  return list.split(',').some((one) => {
    const tag = one.trim()
    return tag === etag || (weakly && tag.startsWith('W/') && tag.slice(2) === etag)
  })
}

/** Whether `modified` is later than the other date; false for an unreadable one. */
const isLater = (modified: string, than: string): boolean => Date.parse(modified) > Date.parse(than)

/** The requested part, in bytes of the file itself. */
export function rangeOf(
  headers: IncomingHttpHeaders,
  { etag, modified }: Validators,
  bytes: number,
): ByteRange | 'whole' | 'beyond' {
  const version = headers['if-range']
  const isCurrent =
    version === undefined || version === etag || (modified !== undefined && version === modified)
  return isCurrent ? requestedRange({ range: headers.range }, undefined, bytes) : 'whole'
}

/** Whether a person navigates there: then a page may be answered in place of what was requested. */
export const isNavigation = ({ headers }: { headers: IncomingHttpHeaders }): boolean => {
  const mode = headers['sec-fetch-mode']
  return (mode === undefined || mode === 'navigate') && acceptsByName(headers.accept, page)
}

/** Whether the client refuses pages by name, as `text/html;q=0` does. One that only lists other types gets what it requested (RFC 9110, 12.5.1). */
export const refusesPage = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  refusesType(headers.accept, page)

/** Whether the client takes a page at all. One that refuses pages by its `Accept`, as a program may, gets none, not even in place of an error. */
export const takesPage = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  acceptedQuality(headers.accept, page) > 0
