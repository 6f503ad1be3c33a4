import { UpstreamError } from '#core/spec'
import type { AnswerPart } from '#core/turn'
import { faultOfError, isRecord } from '#providers/kit'
import { EventReader, type ReaderOptions } from './events.ts'

/** The parts of a non-streamed answer. Throws `UpstreamError` if the body is an error or not an answer of this wire. */
export function* readAnswer(body: unknown, options: ReaderOptions): Generator<AnswerPart, void, undefined> {
  if (!isRecord(body)) throw new UpstreamError('malformed', { detail: 'an answer that is no object' })
  if (Array.isArray(body['output']) || body['status'] === 'failed')
    yield* new EventReader(options).readComplete(body)
  else if (body['error']) throw faultOfError(body, options.secrets)
  else throw new UpstreamError('malformed', { detail: 'an answer without output' })
}
