import { UpstreamError } from '#core/spec'
import { faultOfError, isRecord } from '#providers/kit'
import type { ResponsesJson } from './items.ts'

/** The fault for a response of this status; undefined if it is a success. */
export function faultOfStatus(
  status: string,
  response: ResponsesJson,
  secrets: readonly string[],
): UpstreamError | undefined {
  if (status === 'failed') return faultOf(isRecord(response['error']) ? response['error'] : {}, secrets)
  const unfinished = status === 'cancelled' || status === 'in_progress' || status === 'queued'
  return unfinished ? new UpstreamError('cut', { detail: `the answer ended as ${status}` }) : undefined
}

/** The kind of fault by the error code of a failed response, if its message does not show it. */
export function faultOf(error: ResponsesJson, secrets: readonly string[]): UpstreamError {
  const code = String(error['code'] ?? '')
  const isContentPolicy = /policy|invalid_prompt/.test(code)
    ? 'content_policy_violation'
    : /image/.test(code)
      ? 'invalid_request_error'
      : /quota|billing/.test(code)
        ? 'permission_error'
        : undefined
  return faultOfError(isContentPolicy === undefined ? error : { ...error, type: isContentPolicy }, secrets)
}
