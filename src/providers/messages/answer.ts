import { UpstreamError } from '#core/spec'
import type { AnswerPart } from '#core/turn'
import { exactly } from '#platform/json'
import { faultOfError, isRecord } from '#providers/kit'
import { EventReader } from './events.ts'

/** The parts of a non-streamed answer. Throws `UpstreamError` if the body is an error or not an answer of this wire. */
export function* readAnswer(
  body: unknown,
  secrets: readonly string[],
): Generator<AnswerPart, void, undefined> {
  if (isRecord(body) && body['error']) throw faultOfError(body, secrets)
  if (!isRecord(body) || !Array.isArray(body['content']))
    throw new UpstreamError('malformed', { detail: 'an answer without content' })
  const reader = new EventReader(secrets)
  const parts: AnswerPart[] = []
  reader.start(body, parts)
  parts[0]!.extra = { wire: 'messages', body: exactly(body) }
  for (const [index, block] of body['content'].entries()) {
    reader.content.start(index, block, parts)
    reader.content.stop(index, parts)
  }
  reader.finish(body, body['usage'], parts)
  yield* parts
  yield* reader.end()
}
