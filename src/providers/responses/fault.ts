import { faultOfError, isRecord } from '#providers/kit'
import { UpstreamError } from '#providers/spec'
import type { Json } from './items.ts'

/** Why a response of this status is no answer; undefined when it is one. */
export function faultOfStatus(
  status: string,
  response: Json,
  secrets: readonly string[],
): UpstreamError | undefined {
  if (status === 'failed') return faultOf(isRecord(response['error']) ? response['error'] : {}, secrets)
  const unfinished = status === 'cancelled' || status === 'in_progress' || status === 'queued'
  return unfinished ? new UpstreamError('cut', { detail: `the answer ended as ${status}` }) : undefined
}

/** The fault by the code of a failed response, where its message does not show the kind. */
export function faultOf(error: Json, secrets: readonly string[]): UpstreamError {
  const code = String(error['code'] ?? '')
  const meant = /policy|invalid_prompt/.test(code)
    ? 'content_policy_violation'
    : /image/.test(code)
      ? 'invalid_request_error'
      : /quota|billing/.test(code)
        ? 'permission_error'
        : undefined
  return faultOfError(meant === undefined ? error : { ...error, type: meant }, secrets)
}
