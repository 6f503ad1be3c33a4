/** A vendor that has calls over WebRTC with whoever calls: its media server, its side connections and its hang-up. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { openWebRtc, type Peer } from '#platform/webrtc'
import {
  type FakeSockets,
  type SocketEvent,
  socketUpstream,
  type UpstreamSession,
} from '../harness/socket-upstream.ts'
import { until } from '../harness/until.ts'
import { openAiUsage, openAiVoice } from '../harness/voice-wires.ts'

export interface VendorCall {
  id: string
  /** As it was asked for. */
  session: SocketEvent
  peer: Peer
  /** Packets of sound that came from the caller. */
  heard: number
  /** Events that came on the channel of the caller. */
  said: SocketEvent[]
  hangUps: number
  side: UpstreamSession | undefined
  /** Tells it to the caller and to the side connection. */
  tell(event: SocketEvent): void
  /** A response from beginning to end. */
  respond(usage?: SocketEvent | null): void
}

/** What goes wrong with an answer to an offer. */
type Flaw = (response: ServerResponse) => void

export interface Vendor extends AsyncDisposable {
  sockets: FakeSockets
  calls: VendorCall[]
  /** Of all further offers; undefined: nothing is wrong. */
  flaw: Flaw | undefined
  /** So many further hang-ups fail. */
  deaf: number
  /** Once its side connection is open. */
  call(position: number): Promise<VendorCall>
  reset(): void
}

export async function openVendor(): Promise<Vendor> {
  const sockets = await socketUpstream()
  const rtc = await openWebRtc({ listen: ['127.0.0.1'], publicIps: [], ports: [0, 0], tcp: true })
  const calls: VendorCall[] = []
  let ids = 0

  function begin(offer: string, session: SocketEvent): VendorCall {
    const call: VendorCall = {
      ...{ id: `rtc_u${++ids}`, session, heard: 0, said: [], hangUps: 0, side: undefined },
      peer: rtc.answer(offer, {
        connected: () => {},
        channelOpen: () => {},
        audio: () => void call.heard++,
        text: (text) => take(call, JSON.parse(text) as SocketEvent),
        ended: () => call.side?.close(1000),
      }),
      tell: (event) => {
        call.peer.sendText(JSON.stringify(event))
        if (call.side?.isOpen) call.side.send(event)
      },
      respond: (usage = openAiUsage) => {
        const id = `resp_${++ids}`
        call.tell({ type: 'response.created', response: { id, status: 'in_progress' } })
        call.tell({ type: 'response.done', response: { id, status: 'completed', usage } })
      },
    }
    calls.push(call)
    return call
  }

  /** What a caller or a side connection sends. */
  function take(call: VendorCall, event: SocketEvent): void {
    call.said.push(event)
    if (event['type'] === 'response.create') call.respond()
    if (event['type'] === 'session.update') {
      call.session = { ...call.session, ...(event['session'] as SocketEvent) }
      call.tell({ type: 'session.updated', session: call.session })
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const [, name] = /^\/v1\/realtime\/calls\/([^/]+)\/hangup$/.exec(request.url ?? '') ?? []
    if (name !== undefined) return hangUp(name, response)
    if (vendor.flaw) return vendor.flaw(response)
    const form = await new Response(Buffer.concat(chunks), {
      headers: { 'content-type': request.headers['content-type']! },
    }).formData()
    const text = async (part: string) => await (form.get(part) as Blob).text()
    const call = begin(await text('sdp'), JSON.parse(await text('session')) as SocketEvent)
    response.writeHead(201, {
      'content-type': 'application/sdp',
      location: `/v1/realtime/calls/${call.id}`,
    })
    response.end(call.peer.answer)
  }

  function hangUp(id: string, response: ServerResponse): void {
    const call = calls.find((one) => one.id === id)
    const isDeaf = vendor.deaf > 0
    if (isDeaf) vendor.deaf--
    else if (call) {
      call.hangUps++
      call.peer.close()
      call.side?.close(1000)
    }
    response.writeHead(isDeaf ? 500 : call ? 200 : 404)
    response.end()
  }

  const side = {
    opened(session: UpstreamSession): void {
      const id = new URL(session.path, sockets.url).searchParams.get('call_id')
      const call = calls.find((one) => one.id === id)
      if (!call) return session.close(1008)
      call.side = session
      session.send({ type: 'session.created', session: call.session })
    },
    event(event: SocketEvent, session: UpstreamSession): void {
      const call = calls.find((one) => one.side === session)
      if (call) take(call, event)
    },
  }
  const reset = (): void => {
    calls.length = 0
    vendor.flaw = undefined
    vendor.deaf = 0
    sockets.reset()
    sockets.answer((request, response) => void handle(request, response))
    // Of sessions of our own, as a relay has them.
    const voice = openAiVoice()
    sockets.serve(() => {
      const own = voice()
      return {
        opened: (session) => (session.path.includes('call_id=') ? side : own).opened?.(session),
        event: (event, session) => (session.path.includes('call_id=') ? side : own).event?.(event, session),
      }
    })
  }
  const vendor: Vendor = {
    ...{ sockets, calls, flaw: undefined, deaf: 0, reset },
    call: async (position) => {
      await until(() => calls[position]?.side?.isOpen, 30_000)
      return calls[position]!
    },
    [Symbol.asyncDispose]: async () => {
      await sockets[Symbol.asyncDispose]()
      await rtc[Symbol.asyncDispose]()
    },
  }
  reset()
  return vendor
}
