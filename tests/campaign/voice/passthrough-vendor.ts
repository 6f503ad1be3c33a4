/** A vendor that has calls over WebRTC with whoever calls: its media server, which says what it hears, its side connections and its hang-up. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { openWebRtc, type Peer, type WebRtc } from '#platform/webrtc'
import {
  type FakeSockets,
  type SocketEvent,
  socketUpstream,
  type UpstreamSession,
} from '../../harness/socket-upstream.ts'
import { until } from '../../harness/until.ts'
import { openAiUsage, openAiVoice } from '../../harness/voice-wires.ts'
import { whileHere } from '../../harness/while-here.ts'

export interface VendorCall {
  id: string
  /** As it was asked for. */
  session: SocketEvent
  peer: Peer
  /** Packets of sound that came from the caller. */
  heard: number
  /** Events that came on the channel of the caller. */
  said: SocketEvent[]
  /** Its caller has left, or it was hung up: there is nothing to hear of it any more. */
  isOver: boolean
  hangUps: number
  side: UpstreamSession | undefined
  /** Tells it to the caller and to the side connection. */
  tell(event: SocketEvent): void
  /** A response begins; its id. */
  begin(more?: SocketEvent): string
  finish(id: string, usage?: SocketEvent | null): void
}

export class Vendor implements AsyncDisposable {
  readonly sockets: FakeSockets
  readonly calls: VendorCall[] = []
  /** What is answered to all further offers; undefined: as it should be. */
  flaw: ((response: ServerResponse) => void) | undefined
  /** So many further hang-ups fail. */
  deaf = 0
  readonly #rtc: WebRtc
  #ids = 0

  private constructor(sockets: FakeSockets, rtc: WebRtc) {
    this.sockets = sockets
    this.#rtc = rtc
    this.reset()
  }

  static async open(): Promise<Vendor> {
    // Who never comes is not to be taken for one who hangs up, however slow the machine is.
    const options = { connectMs: 600_000 }
    const rtc = await openWebRtc({ listen: ['127.0.0.1'], publicIps: [], ports: [0, 0], tcp: true }, options)
    return new Vendor(await socketUpstream(), rtc)
  }

  /** Once its side connection is open. */
  async call(position: number): Promise<VendorCall> {
    await until(() => this.calls[position]?.side?.isOpen)
    return this.calls[position]!
  }

  reset(): void {
    this.calls.length = 0
    this.flaw = undefined
    this.deaf = 0
    this.sockets.reset()
    this.sockets.answer(whileHere((request, response) => this.#handle(request, response)))
    // Of sessions of our own, as a relay has them.
    const voice = openAiVoice()
    this.sockets.serve(() => {
      const own = voice()
      const of = ({ path }: UpstreamSession) => (path.includes('call_id=') ? this.#side : own)
      return {
        opened: (session) => of(session).opened?.(session),
        event: (event, session) => of(session).event?.(event, session),
      }
    })
  }

  readonly #side = {
    opened: (session: UpstreamSession): void => {
      const id = new URL(session.path, this.sockets.url).searchParams.get('call_id')
      const call = this.calls.find((one) => one.id === id)
      if (call && !call.isOver) {
        call.side = session
        session.send({ type: 'session.created', session: call.session })
      } else session.close(1008)
    },
    event: (event: SocketEvent, session: UpstreamSession): void => {
      const call = this.calls.find((one) => one.side === session)
      if (call) this.#take(call, event)
    },
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const [, name] = /^\/v1\/realtime\/calls\/([^/]+)\/hangup$/.exec(request.url ?? '') ?? []
    if (name !== undefined) return this.#hangUp(name, response)
    if (this.flaw) return this.flaw(response)
    const headers = { 'content-type': request.headers['content-type']! }
    const form = await new Response(Buffer.concat(chunks), { headers }).formData()
    const text = async (part: string): Promise<string> => await (form.get(part) as Blob).text()
    const call = this.#begin(await text('sdp'), JSON.parse(await text('session')) as SocketEvent)
    const location = `/v1/realtime/calls/${call.id}`
    response.writeHead(201, { 'content-type': 'application/sdp', location })
    response.end(call.peer.answer)
  }

  #begin(offer: string, session: SocketEvent): VendorCall {
    const call: VendorCall = {
      ...{
        id: `rtc_u${++this.#ids}`,
        session,
        heard: 0,
        said: [],
        isOver: false,
        hangUps: 0,
        side: undefined,
      },
      peer: this.#rtc.answer(offer, {
        connected: () => {},
        channelOpen: () => {},
        audio: (packet, _sequence, timestamp) => {
          call.heard++
          call.peer.sendAudio(packet, timestamp)
        },
        text: (text) => this.#take(call, JSON.parse(text) as SocketEvent),
        ended: () => {
          call.isOver = true
          call.side?.close(1000)
        },
      }),
      tell: (event) => {
        call.peer.sendText(JSON.stringify(event))
        if (call.side?.isOpen) call.side.send(event)
      },
      begin: (more = {}) => {
        const id = `resp_${++this.#ids}`
        call.tell({ type: 'response.created', response: { id, status: 'in_progress', ...more } })
        return id
      },
      finish: (id, usage = openAiUsage) =>
        call.tell({ type: 'response.done', response: { id, status: 'completed', usage } }),
    }
    this.calls.push(call)
    return call
  }

  /** What a caller or a side connection sends. */
  #take(call: VendorCall, event: SocketEvent): void {
    call.said.push(event)
    if (event['type'] === 'response.create') call.finish(call.begin())
    if (event['type'] === 'session.update') {
      call.session = { ...call.session, ...(event['session'] as SocketEvent) }
      call.tell({ type: 'session.updated', session: call.session })
    }
  }

  #hangUp(id: string, response: ServerResponse): void {
    const call = this.calls.find((one) => one.id === id)
    const isDeaf = this.deaf > 0
    if (isDeaf) this.deaf--
    else if (call) {
      call.hangUps++
      call.peer.close()
      call.side?.close(1000)
    }
    response.writeHead(isDeaf ? 500 : call ? 200 : 404)
    response.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sockets[Symbol.asyncDispose]()
    await this.#rtc[Symbol.asyncDispose]()
  }
}
