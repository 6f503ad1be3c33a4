/**
 * One data channel of texts (RFC 8831, RFC 8832) on werift's SCTP, with bounds that werift does not have. Texts that were received and not yet
 * processed close the window of the sender (RFC 9260, section 6.2): a client that sends faster than it is served has to wait itself.
 */
import type { Flow } from '#platform/scheduler'
import { ReceiveWindow } from './receive-window.ts'
import {
  type Chunk,
  chunksOf,
  chunkType,
  forwardedStreams,
  hasWholeParameters,
  isOfSent,
} from './sctp-chunks.ts'
import { type RTCDtlsTransport, RTCSctpTransport, type SctpAssociation } from './werift.ts'

export interface DataChannelOptions {
  /** The flow in which texts take their turns. */
  flow: Flow
  /** Sends one packet of SCTP. */
  send(packet: Buffer): void
  opened(): void
  text(message: string): void
  /** Called when the other side has ended the channel. */
  closed(): void
  /** Called when the other side sends what no honest client sends. */
  abused(): void
}

/** The maximum bytes of a message, in both directions. */
export const maxMessageBytes = 65_536
const waitingBytes = 262_144
/** While this many bytes wait to be sent, no text is processed, because its answer would wait, too. */
const busyBytes = 65_536
/** The bytes that a waiting message costs beside its text. */
export const overheadBytes = 64

const bounds = {
  /** The maximum streams of the other side; browsers number theirs 1, 3, 5 … */
  streams: 64,
  opens: 8,
  nameBytes: 64,
  /** The maximum bytes of incomplete messages. */
  partialBytes: 8 * maxMessageBytes,
  partialChunks: 1_024,
  /** The maximum packets that came before a missing one; werift sorts all of them for each new packet. */
  ahead: 256,
  /** The maximum chunks of a packet that are no data. Clients bundle two or three, and many of them are answered. */
  controls: 8,
} as const

const protocol = { control: 50, text: 51, emptyText: 56 } as const
const control = { ack: 2, open: 3 } as const

export class DataChannel {
  readonly #options: DataChannelOptions
  /** The association of werift; tests of its bounds use it, too. */
  readonly association: SctpAssociation
  #stream: number | undefined
  readonly #window: ReceiveWindow
  #opens = 0
  #waiting = 0
  readonly #texts: { text: string; weight: number }[] = []
  #isTaking = false
  #isHeld = false

  constructor(port: number, options: DataChannelOptions) {
    this.#options = options
    const transport = new RTCSctpTransport(port)
    const line = { id: '', onStateChange: { subscribe: () => ({ unSubscribe: () => undefined }) } }
    const send = async (packet: Buffer): Promise<void> => this.#options.send(packet)
    transport.setDtlsTransport({
      ...line,
      sendData: send,
      iceTransport: { role: 'controlled' },
    } as unknown as RTCDtlsTransport)
    this.association = transport.sctp as unknown as SctpAssociation
    this.association._inboundStreamsMax = bounds.streams
    this.#window = new ReceiveWindow(this.association)
    // Replaces the transport's own reader of messages.
    this.association.onReceive.allUnsubscribe()
    this.association.onReceive.subscribe((stream, kind, bytes) => this.#receive(stream, kind, bytes))
    this.association.onReconfigStreams.allUnsubscribe()
    this.association.onReconfigStreams.subscribe((streams) => {
      if (this.#stream !== undefined && streams.includes(this.#stream)) this.#stream = undefined
    })
    this.association.stateChanged.closed.subscribe(() => this.#options.closed())
    transport.start(port).catch(() => undefined)
  }

  /** Sends a text. Returns false if more is waiting than for a client that keeps reading, or there is no channel. */
  send(text: string): boolean {
    const bytes = Buffer.from(text)
    if (this.#stream === undefined || this.#waiting > waitingBytes || bytes.length > maxMessageBytes)
      return false
    const weight = bytes.length + overheadBytes
    this.#waiting += weight
    const sent = this.#send(this.#stream, bytes.length > 0 ? protocol.text : protocol.emptyText, bytes)
    sent.finally(() => {
      this.#waiting -= weight
      this.#processNext()
    })
    return true
  }

  /** Receives a packet of the authenticated client, who may be hostile all the same. */
  receive(packet: Buffer): void {
    if (!this.#mayTake(packet)) return
    // This throws if the packet is invalid.
    this.association.handleData(packet).catch(() => undefined)
    if (this.#isOverfull()) this.#options.abused()
  }

  /** While the channel is held, texts wait. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    this.#processNext()
  }

  close(): void {
    this.#isHeld = true
    this.association.stateChanged.closed.allUnsubscribe()
    this.association.stop().catch(() => undefined)
  }

  #mayTake(packet: Buffer): boolean {
    const chunks = chunksOf(packet)
    if (chunks === undefined) return false
    const { data = [], control: controls = [] } = Object.groupBy(chunks, ({ type }) =>
      type === chunkType.data ? 'data' : 'control',
    )
    if (controls.length > bounds.controls || !controls.every((one) => this.#isBounded(one))) return false
    if (!data.every(({ body }) => body.length >= 12 && isStream(body.readUInt16BE(4)))) return false
    return data.length === 0 || this.#hasRoomFor(data.map(({ body }) => body.readUInt32BE(0)))
  }

  /** Whether a chunk that is no data costs no more than its bytes. */
  #isBounded(chunk: Chunk): boolean {
    if (chunk.type === chunkType.forward) return forwardedStreams(chunk.body).every(isStream)
    if (chunk.type === chunkType.sack) return isOfSent(chunk.body, this.association.localTsn)
    return hasWholeParameters(chunk)
  }

  #hasRoomFor(tsns: number[]): boolean {
    const { sackMisOrdered } = this.association
    if (sackMisOrdered.size >= bounds.ahead && !this.#areNext(tsns)) return false
    // The next piece of a message is accepted if no complete message is waiting: otherwise there would never be room again.
    if (this.#window.hasRoom || (this.#texts.length === 0 && this.#areNext(tsns.slice(0, 1)))) return true
    this.#window.acknowledge()
    return false
  }

  /**
   * Whether all pieces are the next ones, each after those before it, or arrived before: then they are acknowledged again, since the other side has
   * not received the acknowledgement.
   */
  #areNext(tsns: number[]): boolean {
    const { sackMisOrdered, lastReceivedTsn = 0 } = this.association
    let next = (lastReceivedTsn + 1) >>> 0
    return tsns.every((tsn) => {
      while (sackMisOrdered.has(next)) next = (next + 1) >>> 0
      if (tsn === next) next = (next + 1) >>> 0
      return (tsn - next) >>> 0 >= 0x8000_0000 || sackMisOrdered.has(tsn)
    })
  }

  #isOverfull(): boolean {
    let bytes = 0
    let chunks = 0
    for (const { reassembly } of Object.values(this.association.inboundStreams)) {
      chunks += reassembly.length
      for (const { userData } of reassembly) bytes += userData.length
    }
    this.#window.partialBytes = bytes + chunks * overheadBytes
    return bytes > bounds.partialBytes || chunks > bounds.partialChunks
  }

  #receive(stream: number, kind: number, bytes: Buffer): void {
    if (kind === protocol.control) this.#control(stream, bytes)
    else if (stream !== this.#stream) return
    else if (bytes.length > maxMessageBytes) this.#options.abused()
    else if (kind === protocol.text) this.#keep(bytes.toString(), bytes.length)
    else if (kind === protocol.emptyText) this.#keep('', 0)
  }

  #keep(text: string, bytes: number): void {
    this.#texts.push({ text, weight: bytes + overheadBytes })
    this.#window.unreadBytes += bytes + overheadBytes
    this.#processNext()
  }

  /** Processes one text in each turn. */
  #processNext(): void {
    const mayTake = !this.#isHeld && this.#waiting <= busyBytes && this.#texts.length > 0
    if (this.#isTaking || !mayTake) return
    this.#isTaking = true
    this.#options.flow.add(() => {
      this.#isTaking = false
      const next = this.#isHeld ? undefined : this.#texts.shift()
      if (next === undefined) return
      this.#window.unreadBytes -= next.weight
      this.#options.text(next.text)
      this.#window.reopen()
      this.#processNext()
    })
  }

  #control(stream: number, bytes: Buffer): void {
    if (bytes[0] !== control.open || bytes.length < 12) return
    const isShort = bytes.readUInt16BE(8) <= bounds.nameBytes && bytes.readUInt16BE(10) <= bounds.nameBytes
    const isRepeat = stream === this.#stream
    if (++this.#opens > bounds.opens) this.#options.abused()
    else if (isRepeat || (this.#stream === undefined && isShort)) this.#accept(stream, isRepeat)
    else this.#refuse(stream)
  }

  #accept(stream: number, isRepeat: boolean): void {
    this.#stream = stream
    this.#send(stream, protocol.control, Buffer.from([control.ack]))
    if (!isRepeat) this.#options.opened()
  }

  /** Closes a second channel again. */
  #refuse(stream: number): void {
    this.association.reconfigQueue.push(stream)
    this.association.transmitReconfigRequest().catch(() => undefined)
  }

  #send(stream: number, kind: number, bytes: Buffer): Promise<void> {
    return this.association.send(stream, kind, bytes, { ordered: true }).catch(() => undefined)
  }
}

const isStream = (stream: number): boolean => stream < bounds.streams
