/** Reads a streamed picture of an images endpoint: unfinished pictures as they come, and the last event like a whole answer. */

import { UpstreamError } from '#core/spec'
import type { ImageOrder } from '#core/turn'
import { GrowingBytes } from '#platform/bytes'
import { isRecord, pictureIn, picturesBytes, readJson, SseReader, type UpstreamClient } from '#providers/kit'

type EventsRequest = Parameters<UpstreamClient['stream']>[0]

/** An upstream may send more unfinished pictures than were requested; beyond these the answer is malformed. */
const maxPartials = 8
const eventBytes = picturesBytes(1)

/**
 * The finished answer, as `drawnImagesOf` reads it. An upstream that does not stream answers at once, which is read as well. Throws `UpstreamError`:
 * `cut` where the events end before the picture.
 */
export async function pictureOfEvents(
  client: UpstreamClient,
  request: EventsRequest,
  { onPartial, partials = 0 }: Pick<ImageOrder, 'onPartial' | 'partials'>,
): Promise<unknown> {
  const waiting: string[] = []
  const events = new SseReader((data) => waiting.push(data), eventBytes)
  const whole = new GrowingBytes()
  let isStream = false
  let finished: Record<string, unknown> | undefined
  const read = async (): Promise<void> => {
    for (const data of waiting.splice(0)) {
      if (finished || data.trim() === '[DONE]') continue
      const event = await readJson(Buffer.from(data), eventBytes)
      if (!isRecord(event)) throw malformed('an event that is no object')
      if (isPartial(event)) await show(event['b64_json'], onPartial)
      else finished = finishedIn(event)
    }
  }
  await client.stream(request, {
    begin: (headers) => {
      isStream = String(headers['content-type'] ?? '').includes('event-stream')
    },
    write: (chunk) => {
      if (!isStream) {
        if (whole.length + chunk.length > eventBytes) throw malformed('an answer that is too long')
        return whole.add(chunk)
      }
      events.push(chunk)
      return waiting.length > 0 ? read() : undefined
    },
    maxBytes: eventBytes * (1 + Math.max(partials, maxPartials)),
  })
  if (!isStream) return readJson(whole.take(), eventBytes)
  events.end()
  await read()
  if (!finished) throw new UpstreamError('cut', { detail: 'the events ended without a picture' })
  return finished
}

const isPartial = ({ type }: Record<string, unknown>): boolean =>
  typeof type === 'string' && type.endsWith('.partial_image')

/** The finished picture in the form of a whole answer; undefined for events that say nothing of the picture. */
function finishedIn(event: Record<string, unknown>): Record<string, unknown> | undefined {
  const { type, b64_json: base64, url, revised_prompt: revised, usage, error } = event
  if (error != null || type === 'error') return { error: error ?? event }
  if (typeof type !== 'string' || !type.endsWith('.completed')) return undefined
  return { data: [{ b64_json: base64, url, revised_prompt: revised }], usage }
}

/** Passes an unfinished picture on, unless its data is no picture of a known type. */
async function show(base64: unknown, onPartial: ImageOrder['onPartial']): Promise<void> {
  if (typeof base64 !== 'string') return
  const bytes = await pictureIn(base64).catch(() => undefined)
  if (bytes) onPartial?.(bytes)
}

const malformed = (detail: string): UpstreamError => new UpstreamError('malformed', { detail })
