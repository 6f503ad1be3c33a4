/** Errors of PostgreSQL as PostgREST answers them: the status by the code, the words PostgreSQL's own. */
import { cutText, type StatementFailed } from '#cloud/databases'
import type { Localized } from '#platform/errors'
import type { Refusal } from './refuse.ts'

/** The statuses of codes and, where a code has none, of its class (two characters), as PostgREST maps them. */
const statuses: Readonly<Record<string, number>> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '21000': 400,
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '25': 500,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '53400': 500,
  '53': 503,
  '54': 413,
  '55': 500,
  '57': 500,
  '58': 500,
  F0: 500,
  HV: 500,
  P0001: 400,
  P0: 500,
  XX: 500,
}

export function databaseRefusal({ report, cause }: StatementFailed, isSignedIn: boolean): Refusal {
  const { sqlState: code, message, detail, hint } = report
  const raised = code === 'PGRST' ? raisedRefusal(cause) : undefined
  if (raised) return raised
  return {
    status: statusOf(code, isSignedIn),
    code,
    message: inBoth(message),
    details: optional(detail),
    hint: optional(hint),
  }
}

function statusOf(code: string, isSignedIn: boolean): number {
  // A caller who has not signed in may try to.
  if (code === '42501') return isSignedIn ? 403 : 401
  const [, own] = /^PT(\d{3})$/.exec(code) ?? []
  if (own !== undefined) return isErrorStatus(Number(own)) ? Number(own) : 500
  return statuses[code] ?? statuses[code.slice(0, 2)] ?? 400
}

/** An answer with a status below 200 ends nothing, and 2xx and 3xx would say that all went well. */
const isErrorStatus = (status: number): boolean => status >= 400 && status <= 599

/** The refusal of `raise sqlstate 'PGRST'` with a JSON object as its message, and `{"status": 402}` as its detail. */
function raisedRefusal({ message, detail }: Error & { detail?: string }): Refusal | undefined {
  const [messageJson, more] = [objectOf(message), objectOf(detail)]
  const status = Number(more?.status)
  if (typeof messageJson?.code !== 'string' || typeof messageJson.message !== 'string') return undefined
  if (!Number.isInteger(status) || !isErrorStatus(status)) return undefined
  return {
    status,
    code: cutText(messageJson.code),
    message: text(messageJson.message),
    details: typeof messageJson.details === 'string' ? text(messageJson.details) : undefined,
    hint: typeof messageJson.hint === 'string' ? text(messageJson.hint) : undefined,
  }
}

/** Longer texts are not read. */
const maxJsonLength = 4_000

function objectOf(json: string | undefined): Record<string, unknown> | undefined {
  if (json === undefined || json.length > maxJsonLength) return undefined
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const inBoth = (words: string): Localized => ({ en: words, fa: words })

const text = (words: string): Localized => inBoth(cutText(words))

const optional = (words: string | undefined): Localized | undefined =>
  words === undefined ? undefined : inBoth(words)
