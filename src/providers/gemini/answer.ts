/** Reads an answer of `generateContent`: its data, its tokens, and why there is none. What the model wrote instead is never part of an error. */

import { UpstreamError } from '#core/spec'
import { claimedCount, claimedTokens, faultOfError, isRecord, type MediaTokens } from '#providers/kit'

/** Finish reasons of a model that refuses, in all their wordings. */
const refusals: ReadonlySet<unknown> = new Set([
  'SAFETY',
  'PROHIBITED_CONTENT',
  'BLOCKLIST',
  'SPII',
  'RECITATION',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
])

export interface InlineData {
  mediaType: string
  base64: string
}

export interface GeminiContent {
  /** Has at least one item. */
  data: InlineData[]
  usage?: MediaTokens
}

/** The data of an answer. Throws `UpstreamError`, always with `executed: true`, if there is none of this kind, or not all of it. */
export function contentOf(
  answer: unknown,
  kind: 'a picture' | 'sound',
  secrets: readonly string[],
): GeminiContent {
  if (!isRecord(answer)) throw malformed('an answer that is no object')
  if (answer['error'] != null) throw faultOfError(answer['error'], secrets)
  const { promptFeedback, candidates, usageMetadata } = answer
  if (isRecord(promptFeedback) && promptFeedback['blockReason'] != null)
    throw refused('The prompt was blocked.')
  const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined
  if (!isRecord(candidate)) throw malformed('an answer without a candidate')
  const { finishReason, content } = candidate
  if (refusals.has(finishReason)) throw refused('The model refused the content.')
  const parts = isRecord(content) && Array.isArray(content['parts']) ? content['parts'] : []
  const data = parts.flatMap(dataOf)
  if (data.length === 0) throw malformed(`an answer without ${kind}`)
  if (finishReason === 'MAX_TOKENS')
    throw new UpstreamError('cut', { detail: 'the limit of tokens was reached' })
  const usage = usageOf(usageMetadata)
  return { data, ...(usage && { usage }) }
}

/** The data of a part. Pictures that belong to a thought are sketches, not the answer. */
function dataOf(part: unknown): InlineData[] {
  if (!isRecord(part) || part['thought'] === true) return []
  const { inlineData } = part
  if (!isRecord(inlineData)) return []
  const { mimeType, data } = inlineData
  return typeof mimeType === 'string' && typeof data === 'string'
    ? [{ mediaType: mimeType, base64: data }]
    : []
}

function usageOf(usage: unknown): GeminiContent['usage'] {
  if (!isRecord(usage)) return undefined
  const made = claimedCount(usage['candidatesTokenCount'])
  const thought = claimedCount(usage['thoughtsTokenCount']) ?? 0
  return claimedTokens({
    input: claimedCount(usage['promptTokenCount']),
    mediaInput: mediaInputOf(usage['promptTokensDetails']),
    // Tokens of thoughts alone are no count of what was made.
    output: made ? made + thought : made,
  })
}

/** Tokens of the pictures of a prompt. */
function mediaInputOf(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined
  const pictures = details.filter(isRecord).filter(({ modality }) => modality === 'IMAGE')
  const counts = pictures.flatMap(({ tokenCount }) => claimedCount(tokenCount) ?? [])
  return counts.length > 0 ? counts.reduce((sum, tokens) => sum + tokens, 0) : undefined
}

const refused = (detail: string): UpstreamError => new UpstreamError('content_refused', { detail })
export const malformed = (detail: string): UpstreamError => new UpstreamError('malformed', { detail })
