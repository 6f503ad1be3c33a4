/** What every refusal of this server looks like, whatever it refuses. */
import { expect } from 'vitest'
import type { Seen } from '../harness/client.ts'

export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface Refusal {
  status: number
  code?: string
  param?: string
}

/** Asserts status, code, `param`, and all that every refusal must have: one id in four places, a type by status, nothing run. */
export function expectRefusal(seen: Seen, refusal: Refusal, about?: string): void {
  const { error } = seen.body ?? {}
  const found = { status: seen.status, code: error?.code, param: error?.param }
  expect(found, `${about ?? ''} ${seen.text.slice(0, 300)}`).toEqual({
    code: found.code,
    param: undefined,
    ...refusal,
  })
  const id = seen.headers.get('x-request-id')
  expect(id).toMatch(uuidPattern)
  expect(seen.headers.get('request-id')).toBe(id)
  expect(seen.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(seen.body).toMatchObject({ type: 'error', request_id: id, error: { request_id: id } })
  expect(error.type).toBe(types[seen.status] ?? (seen.status >= 500 ? 'api_error' : 'invalid_request_error'))
  expect(error.message.length).toBeGreaterThan(10)
  expect(error.execution_started).toBe(seen.status >= 500 || seen.status === 409 ? undefined : false)
}

const types: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}
