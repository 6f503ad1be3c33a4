/** Calls over WebRTC between the caller and OpenAI: `POST /realtime/calls`, `/realtime?call_id=`, `POST /realtime/calls/{id}/hangup`. */

import {
  type PassthroughAnswer,
  type PassthroughCalls,
  type PassthroughOffer,
  UpstreamError,
} from '#core/spec'
import { Form, headerOf, type UpstreamClient, wellFormedJson } from '#providers/kit'
import { callSession } from './session.ts'
import { SideConnection } from './side-line.ts'

const maxAnswerLength = 64 * 1024
const callIdShape = /^[A-Za-z0-9_-]{1,200}$/
/** Refusals that say nothing of the call; any other 4xx means that there is no such call. */
const inconclusiveStatuses: readonly (number | undefined)[] = [401, 403, 407, 408, 425, 429]

export const passthroughCalls = (client: UpstreamClient): PassthroughCalls => ({
  answer: (call) => answer(client, call),
  watch: async ({ callId, timeouts, signal }, sink) => {
    const line = new SideConnection(client.secrets, sink)
    const path = `/realtime?${new URLSearchParams({ call_id: callId })}`
    await client.socket({ path, timeouts, signal }, line)
    return line
  },
  hangUp: async ({ callId, timeouts, signal }) => {
    const path = `/realtime/calls/${callId}/hangup`
    try {
      await client.bytes({ path, method: 'POST', timeouts, signal }, maxAnswerLength)
    } catch (error) {
      const { status = 0 } = error instanceof UpstreamError ? error : {}
      if (status < 400 || status >= 500 || inconclusiveStatuses.includes(status)) throw error
    }
  },
})

async function answer(
  client: UpstreamClient,
  { upstreamModel, setup, offer, timeouts, signal }: PassthroughOffer,
): Promise<PassthroughAnswer> {
  const body = new Form()
  body.add('sdp', { name: 'offer.sdp', mediaType: 'application/sdp', bytes: Buffer.from(offer) })
  const session = Buffer.from(wellFormedJson(callSession(setup, upstreamModel)))
  body.add('session', { name: 'session.json', mediaType: 'application/json', bytes: session })
  const chunks: Uint8Array[] = []
  let location = ''
  await client.stream(
    { path: '/realtime/calls', body, headers: { accept: 'application/sdp' }, timeouts, signal },
    {
      begin: (headers) => {
        location = headerOf(headers, 'location') ?? ''
      },
      write: (chunk) => void chunks.push(chunk),
      maxBytes: maxAnswerLength,
    },
  )
  const callId = location.slice(location.lastIndexOf('/') + 1)
  if (!callIdShape.test(callId)) throw malformed('an answer without the id of its call')
  const sdp = Buffer.concat(chunks).toString()
  if (!sdp.startsWith('v=0')) throw malformed('an answer that is no SDP')
  return { sdp, callId }
}

const malformed = (detail: string): UpstreamError => new UpstreamError('malformed', { detail })
