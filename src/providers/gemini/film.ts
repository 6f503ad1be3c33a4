/**
 * Videos of Gemini's API, on the wire that the model has: `predictLongRunning` (Veo, which Google's own address has not served since 2026-10-22,
 * but relays and Vertex do: docs.apiyi.com, veo-3-1-preview-retired) or interactions (Omni, its successor). A model's card says which.
 */

import { UpstreamError, type VideoCall, type VideoLook, type VideoProvider } from '#core/spec'
import {
  fileBytes,
  isRecord,
  jobBytes,
  type LinkedFileNet,
  linkedBytes,
  type UpstreamClient,
  videoBytes,
} from '#providers/kit'
import { fileOf } from './file.ts'
import { interactionWire } from './interaction.ts'
import { operationWire } from './operation.ts'

/** One of the wires; the ids of its jobs differ from those of the other wire. */
export interface VideoJobWire {
  submit(client: UpstreamClient, call: VideoCall): Promise<string>
  look(client: UpstreamClient, look: VideoLook): Promise<GeminiVideoState>
}

/** The state of a job, with the address of its video where it is completed. */
export type GeminiVideoState =
  | { status: 'queued' | 'processing' }
  | { status: 'completed'; uri: string }
  | { status: 'failed'; fault: UpstreamError }

/** The most cards that are kept. */
const maxCards = 100

export function geminiVideoProvider(client: UpstreamClient, links: LinkedFileNet): VideoProvider {
  const cards = new Map<string, VideoJobWire>()
  const wireFor = async (call: VideoCall): Promise<VideoJobWire> => {
    const known = cards.get(call.upstreamModel)
    if (known) return known
    const wire = await wireOfCard(client, call)
    if (cards.size < maxCards) cards.set(call.upstreamModel, wire)
    return wire
  }
  return {
    submit: async (call) => ({ id: await (await wireFor(call)).submit(client, call) }),
    look: async (look) => {
      const state = await wireOf(look).look(client, look)
      return state.status === 'completed' ? { status: 'completed' } : state
    },
    fetch: (look) => fetchVideo(client, links, look),
  }
}

const wireOf = ({ ticket }: VideoLook): VideoJobWire =>
  ticket.id.includes('/') ? operationWire : interactionWire

/** The wire by the model's card, before anything is ordered. A relay without cards has the older wire. */
async function wireOfCard(
  client: UpstreamClient,
  { upstreamModel, signal, timeouts }: VideoCall,
): Promise<VideoJobWire> {
  const path = `/models/${encodeURIComponent(upstreamModel)}`
  try {
    const card = await client.json({ path, signal, timeouts }, jobBytes)
    const methods = isRecord(card) ? card['supportedGenerationMethods'] : undefined
    return Array.isArray(methods) && !methods.includes('predictLongRunning') ? interactionWire : operationWire
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    if (error.fault === 'not_found') return operationWire
    const { status, retryAfterMs, detail, inside } = error
    throw new UpstreamError(error.fault, {
      executed: false,
      cause: error,
      ...(status !== undefined && { status }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(detail !== undefined && { detail }),
      ...(inside !== undefined && { inside }),
    })
  }
}

/** The bytes of a video. Google keeps them for two days, as a file that is read with the key; any other address is a link to strangers. */
async function* fetchVideo(
  client: UpstreamClient,
  links: LinkedFileNet,
  look: VideoLook,
): AsyncGenerator<Uint8Array, void> {
  const { signal, timeouts } = look
  const state = await wireOf(look).look(client, look)
  if (state.status !== 'completed')
    throw state.status === 'failed' ? state.fault : new UpstreamError('not_found', { detail: 'no video yet' })
  const file = fileOf(state.uri)
  const options = { signal, timeouts, maxBytes: videoBytes, accept: 'video/*' }
  yield* file === undefined
    ? linkedBytes(state.uri, links, options)
    : fileBytes(client, links, { ...options, path: `/files/${file}:download?alt=media` })
}
