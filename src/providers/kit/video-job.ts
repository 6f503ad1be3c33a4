/** What the rooms of videos share: the ids of jobs, and the faults of failed jobs. */

import { type TextProvider, UpstreamError, type VideoProvider } from '#core/spec'
import { isRecord } from '#platform/json'
import { faultOfError } from './fault.ts'

import type { UpstreamAddress } from './kit.ts'
import type { LinkedFileNet } from './linked-bytes.ts'

/** The address of an upstream, and how files that it only links to are fetched. */
export type LinkedAddress = UpstreamAddress & { egressOfLinks?: LinkedFileNet['egress'] }
export type VideoClient = VideoProvider & AsyncDisposable & { ping: TextProvider['ping'] }

/** The form of an id, which becomes part of a path: no slash, no dots alone. At most 500 characters, as `VideoTicket` says. */
const idPattern = /^[\w-][\w.:~=+-]{0,499}$/

/** The id as it may stand in a path; undefined where it may not. */
export const jobId = (id: unknown): string | undefined =>
  typeof id === 'string' && idPattern.test(id) ? id : undefined

/**
 * How models of video say that they refuse, beside what `faultOfError` knows: Veo ("violates Google's Responsible AI practices", "could not
 * generate videos because"), Seedance ("may contain sensitive information", `InputTextSensitiveContentDetected`), MiniMax
 * (`output new_sensitive`), Kling ("risk control system"), Wan (`DataInspectionFailed`), xAI (`imagine:content-moderated`), Runway
 * (`SAFETY.INPUT.TEXT`), Kherad (`CONTENT_REFUSED`).
 */
const refusedPattern =
  /content[_ -]?(refused|moderated|moderation|policy|filter)|(usage|safety) (guidelines|policy|policies)|moderation (system|blocked)|blocked by (our|the) (moderation|safety)|responsible ai|sensitive (information|content|words)|sensitivecontent|new_sensitive|risk control|datainspectionfailed|safety\.(input|output)|safety (filter|system)|prohibited use|nsfw/i

/** The fault of a job that has failed, by the vendor's words. */
export function faultOfJob(error: unknown, secrets: readonly string[]): UpstreamError {
  const words = isRecord(error) ? Object.values(error) : [error]
  const known = faultOfError(error, secrets)
  return words.some(isRefusal) ? contentRefusedFault(known) : known
}

/** Throws the failure of a request, as a refusal of the content where its words say so. */
export function throwRefusal(error: unknown): never {
  const isOfContent =
    error instanceof UpstreamError && error.fault === 'invalid_request' && isRefusal(error.detail)
  throw isOfContent ? contentRefusedFault(error) : error
}

const isRefusal = (words: unknown): boolean =>
  typeof words === 'string' && refusedPattern.test(words.slice(0, maxCharacters))
const maxCharacters = 4_000

/** The same failure, as a refusal of the content in the vendor's words. */
const contentRefusedFault = ({ detail, inside, status, executed, cause }: UpstreamError): UpstreamError =>
  new UpstreamError('content_refused', {
    detail: detail ?? 'The model refused the content.',
    executed,
    cause,
    ...(status !== undefined && { status }),
    ...(inside !== undefined && { inside }),
  })

/** A cost in USD that an upstream claims. */
export const claimedCost = (cost: unknown): number | undefined =>
  typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined
