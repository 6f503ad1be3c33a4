/** Checks every answer against the declaration of its route. */
import type { Failure } from '#platform/errors'
import { isOfPeople, takesSessions } from './admit-session.ts'
import type { Route } from './http.ts'
import type { Violation } from './server.ts'
import { mismatch } from './validate.ts'

/** Error codes that any route may answer, whatever it declares. */
const alwaysPossible = new Set([
  'INTERNAL',
  'SERVICE_UNAVAILABLE',
  'REQUEST_TIMEOUT',
  // The database is away because its disk is full, or a disk that the request needs is full.
  'STORAGE_FULL',
  'STORAGE_UNWRITABLE',
  // A copy of an installation stores nothing in the bucket of its original.
  'INSTALLATION_COPY',
])

export interface AnswerCheck {
  reply(status: number, text: string): void
  /** A reply that is not JSON. */
  bytes(status: number): void
  failure(failure: Failure): void
}

/** Returns the check of all answers of this route; each violation is reported to `onViolation`. */
export function answerCheck(route: Route, onViolation: (violation: Violation) => void): AnswerCheck {
  const schemas = new Map(
    Object.entries(route.reply).flatMap(([status, reply]) => {
      const schema = typeof reply === 'string' ? route.jsonReply : reply
      return schema === undefined ? [] : [[Number(status), mismatch(schema)] as const]
    }),
  )
  const declared = new Set<string>([...route.errors, ...impliedErrors(route)])
  const report = (what: string): void => onViolation({ operation: route.operation, what })
  return {
    reply(status, text) {
      const check = schemas.get(status)
      if (!check) return report(`status ${status} is not declared`)
      const wrong = check(JSON.parse(text))
      if (wrong !== undefined) report(`reply ${status}: ${wrong}`)
    },
    bytes(status) {
      if (typeof route.reply[status === 206 ? 200 : status] !== 'string')
        report(`status ${status} of bytes is not declared`)
    },
    failure(failure) {
      if (!declared.has(failure.code) && !alwaysPossible.has(failure.code))
        report(`error ${failure.code} is not declared`)
    },
  }
}

/** Codes that follow from what a route declares; the OpenAPI document lists them too. */
export function impliedErrors(route: Route): string[] {
  return [
    ...(route.scope === 'public'
      ? []
      : ['INVALID_API_KEY', 'ACCOUNT_SUSPENDED', 'ACCOUNT_CLOSING', 'PLAN_REQUIRED', 'ORIGIN_NOT_ALLOWED']),
    ...(route.scope === 'public' || route.scope === 'any' || isOfPeople(route) ? [] : ['INSUFFICIENT_SCOPE']),
    ...(takesSessions(route) ? ['NOT_SIGNED_IN', 'CROSS_SITE_REQUEST', 'PERSON_LEAVING'] : []),
    ...(takesSessions(route) && route.scope !== 'person'
      ? ['PROJECT_REQUIRED', 'INSUFFICIENT_ROLE', 'NOT_FOUND']
      : []),
    ...(isOfPeople(route) ? ['SESSION_REQUIRED'] : []),
    ...(route.scope === 'public' ? [] : ['ADDRESS_NOT_ALLOWED']),
    ...(route.scope === 'public' || isOfPeople(route) ? [] : ['PROJECT_KEY_REQUIRED']),
    ...(route.managementKeys === undefined
      ? []
      : ['MANAGEMENT_PERMISSION_REQUIRED', 'PROJECT_REQUIRED', 'NOT_FOUND']),
    ...(route.stepUp ? ['STEP_UP_REQUIRED'] : []),
    ...(route.fromOwnPage ? ['CROSS_SITE_REQUEST'] : []),
    ...(route.method === 'GET' && !route.socket ? [] : ['STORAGE_UNWRITABLE']),
    ...(route.body ? ['INVALID_JSON', 'INVALID_REQUEST', 'BODY_TOO_LARGE'] : []),
    ...(route.body ? [route.bodyToDisk ? 'SPOOL_FULL' : 'TOO_MUCH_IN_FLIGHT'] : []),
    ...(route.body && route.unknownFields !== 'tolerate' ? ['UNKNOWN_FIELD'] : []),
    ...(route.upload ? ['INVALID_REQUEST', 'BODY_TOO_LARGE', 'SPOOL_FULL'] : []),
    ...(route.upload && route.unknownFields !== 'tolerate' ? ['UNKNOWN_FIELD'] : []),
    ...(route.upload?.inMemory ? ['TOO_MUCH_IN_FLIGHT'] : []),
    ...(route.query ? ['INVALID_REQUEST', 'UNKNOWN_FIELD'] : []),
    ...(route.params ? ['NOT_FOUND'] : []),
    ...(route.socket ? ['UPGRADE_REQUIRED', 'TOO_MANY_CONNECTIONS', 'INVALID_REQUEST'] : []),
    ...(route.socket && route.cors !== undefined ? ['ORIGIN_NOT_ALLOWED'] : []),
    ...(route.ranges ? ['RANGE_NOT_SATISFIABLE'] : []),
    ...(route.idempotent
      ? ['INVALID_REQUEST', 'IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_IN_PROGRESS', 'REQUEST_ALREADY_ACCEPTED']
      : []),
  ]
}
