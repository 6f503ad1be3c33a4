/**
 * A client of WebRTC that costs next to nothing, for floods and for load: UDP, DTLS and SCTP by werift, SRTP by our own. It speaks to whatever answers
 * an offer, and can send what no browser sends.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import {
  CipherContext,
  DtlsServer,
  HashAlgorithm,
  RTCDataChannel,
  RTCDataChannelParameters,
  SignatureAlgorithm,
} from 'werift'
import { fingerprintOf } from '../../../src/platform/webrtc/certificate.ts'
import { isMedia, isRtcp, writeRtp } from '../../../src/platform/webrtc/rtp.ts'
import {
  keyBytes,
  SrtpReceiver,
  SrtpSender,
  saltBytes,
  srtpProfiles,
} from '../../../src/platform/webrtc/srtp.ts'
import { type RTCDtlsTransport, RTCSctpTransport } from '../../../src/platform/webrtc/werift.ts'

type Keys = Awaited<ReturnType<typeof CipherContext.createSelfSignedCertificateWithKey>>

export interface LeanPeerOptions {
  /** What the other side answers to the offer. */
  answer(offer: string): string | Promise<string>
  /** Opus that came. */
  audio?(packet: Buffer, index: number, timestamp: number): void
  text?(message: string): void
  /** The other side has gone. */
  closed?(): void
  /** Gives up connecting. */
  signal?: AbortSignal
}

const profile = srtpProfiles.aes128Gcm
const payloadType = 111
const consentEveryMs = 4_000
const connectMs = 60_000
let keys: Promise<Keys> | undefined

export class LeanPeer implements AsyncDisposable {
  readonly #socket: Socket
  readonly #ufrag = randomBytes(4).toString('hex')
  readonly #connected = Promise.withResolvers<void>()
  readonly #open = Promise.withResolvers<void>()
  readonly #options: LeanPeerOptions
  readonly #ssrc = randomBytes(4).readUInt32BE() || 1
  readonly #line = {
    id: 'lean',
    onStateChange: { subscribe: () => ({ unSubscribe: () => undefined }) },
    iceTransport: { role: 'controlling' },
    dataReceiver: (_packet: Buffer) => undefined as unknown,
    sendData: (packet: Buffer) => this.#dtls.send(packet),
  }
  readonly #transport = {
    type: 'lean',
    onData: (_bytes: Buffer) => undefined as unknown,
    send: async (bytes: Buffer) => this.raw(bytes),
    close: async () => undefined,
  }
  readonly #dtls: DtlsServer
  #remote = { address: '', port: 0, ufrag: '', password: '' }
  #sender: SrtpSender | undefined
  #receiver: SrtpReceiver | undefined
  #channel: RTCDataChannel | undefined
  #consent: NodeJS.Timeout | undefined
  #index = 1
  /** Authentic packets of sound, reports, and answers to checks that came. */
  readonly came = { packets: 0, reports: 0, checks: 0 }

  private constructor(socket: Socket, { certPem, keyPem, signatureHash }: Keys, options: LeanPeerOptions) {
    this.#socket = socket
    this.#options = options
    this.#dtls = new DtlsServer({
      transport: this.#transport as never,
      cert: certPem,
      key: keyPem,
      signatureHash,
      srtpProfiles: [profile],
      extendedMasterSecret: true,
      certificateRequest: true,
    } as never)
    this.#dtls.onConnect.once(() => this.#secured())
    this.#dtls.onClose.once(() => options.closed?.())
    this.#dtls.onData.subscribe((packet) => void this.#line.dataReceiver(packet))
    socket.on('message', (bytes) => this.#receive(bytes))
  }

  /** Connected, with an open channel. Throws where it is not after a minute. */
  static async connect(options: LeanPeerOptions): Promise<LeanPeer> {
    keys ??= CipherContext.createSelfSignedCertificateWithKey({
      signature: SignatureAlgorithm.ecdsa_3,
      hash: HashAlgorithm.sha256_4,
    })
    const own = await keys
    const socket = createSocket({
      type: 'udp4',
      lookup: (host, _options, found) => found(null, host, 4),
    })
    // It listens before bind returns, since nothing is looked up.
    const listening = once(socket, 'listening')
    socket.bind(0, '127.0.0.1')
    await listening
    const peer = new LeanPeer(socket, own, options)
    try {
      await peer.#connect(own)
      return peer
    } catch (error) {
      await peer[Symbol.asyncDispose]()
      throw error
    }
  }

  async #connect({ certPem }: Keys): Promise<void> {
    const der = Buffer.from(certPem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
    const fingerprint = fingerprintOf(der).toString('hex').toUpperCase().match(/../g)!.join(':')
    const answer = await this.#options.answer(offerOf(this.#ufrag, fingerprint))
    const found = (pattern: RegExp): string => pattern.exec(answer)?.[1] ?? ''
    const [address = '', port = ''] = found(/a=candidate:\S+ 1 udp \d+ (127\.\S+ \d+) typ host/i).split(' ')
    this.#remote = {
      address,
      port: Number(port),
      ufrag: found(/a=ice-ufrag:(\S+)/),
      password: found(/a=ice-pwd:(\S+)/),
    }
    this.check()
    const beginning = setInterval(() => this.check(), 500)
    const giveUp = (): void => {
      this.#connected.reject(new Error('it did not connect'))
      this.#open.reject(new Error('its channel did not open'))
    }
    const late = setTimeout(giveUp, connectMs)
    this.#options.signal?.addEventListener('abort', giveUp, { once: true })
    this.#open.promise.catch(() => undefined)
    try {
      await this.#connected.promise
      await this.#open.promise
    } finally {
      clearInterval(beginning)
      clearTimeout(late)
    }
    this.#consent = setInterval(() => this.check(), consentEveryMs)
  }

  /** A check of ICE that nominates its path and consents to what is sent. */
  check(): void {
    const { ufrag, password } = this.#remote
    this.raw(bindingRequest(`${ufrag}:${this.#ufrag}`, password))
  }

  stopChecks(): void {
    clearInterval(this.#consent)
  }

  /** A packet of Opus. */
  sendAudio(packet: Uint8Array, timestamp: number): void {
    const index = this.#index++
    const header = writeRtp({ payloadType, ssrc: this.#ssrc, timestamp, sequence: index % 65_536 })
    this.raw(this.#sender!.rtp(header, Buffer.from(packet), index))
  }

  /** An authentic report of RTCP, whatever it says. */
  sendReport(bytes: Buffer): void {
    this.raw(this.#sender!.rtcp(bytes))
  }

  sendText(text: string): void {
    this.#channel!.send(text)
  }

  /** A record of DTLS with these bytes in place of a packet of SCTP. */
  sendRecord(bytes: Buffer): Promise<void> {
    return this.#dtls.send(bytes)
  }

  raw(bytes: Uint8Array): void {
    this.#socket.send(bytes, this.#remote.port, this.#remote.address, () => undefined)
  }

  #receive(bytes: Buffer): void {
    const first = bytes[0]!
    if (first < 4) this.came.checks++
    else if (first >= 20 && first <= 63) this.#transport.onData(bytes)
    else if (isMedia(bytes)) this.#receiveMedia(bytes)
  }

  #receiveMedia(bytes: Buffer): void {
    if (isRtcp(bytes)) {
      if (this.#receiver?.rtcp(bytes)) this.came.reports++
      return
    }
    const packet = this.#receiver?.rtp(bytes)
    if (packet === undefined) return
    this.came.packets++
    this.#options.audio?.(packet.payload, packet.index, packet.timestamp)
  }

  #secured(): void {
    const { localKey, localSalt, remoteKey, remoteSalt } = this.#dtls.extractSessionKeys(
      keyBytes,
      saltBytes(profile),
    )
    this.#sender = new SrtpSender(profile, { key: localKey, salt: localSalt })
    this.#receiver = new SrtpReceiver(profile, { key: remoteKey, salt: remoteSalt })
    this.#connected.resolve()
    void this.#openChannel()
  }

  async #openChannel(): Promise<void> {
    const sctp = new RTCSctpTransport(5_000)
    sctp.setDtlsTransport(this.#line as unknown as RTCDtlsTransport)
    await sctp.start(5_000)
    this.#channel = new RTCDataChannel(sctp, new RTCDataChannelParameters({ label: 'oai-events' }))
    this.#channel.onMessage.subscribe((text) => this.#options.text?.(String(text)))
    this.#channel.stateChanged.subscribe((state) => {
      if (state === 'open') this.#open.resolve()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#consent)
    await this.#channel?.sctp.stop().catch(() => undefined)
    this.#dtls.close()
    this.#socket.close()
    await once(this.#socket, 'close')
  }
}

/** As a browser writes it, and shorter. */
export const offerOf = (ufrag: string, fingerprint: string): string => {
  const path = (mid: number): string[] => [
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${randomBytes(12).toString('hex')}`,
    `a=fingerprint:sha-256 ${fingerprint}`,
    'a=setup:actpass',
  ]
  const lines = [
    ...['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE 0 1'],
    ...[`m=audio 9 UDP/TLS/RTP/SAVPF ${payloadType}`, ...path(0), 'a=sendrecv', 'a=rtcp-mux'],
    `a=rtpmap:${payloadType} opus/48000/2`,
    ...['m=application 9 UDP/DTLS/SCTP webrtc-datachannel', ...path(1), 'a=sctp-port:5000'],
  ]
  return `${lines.join('\r\n')}\r\n`
}

/** With USE-CANDIDATE, signed by the password of the other side. */
export function bindingRequest(username: string, password: string): Buffer {
  const attribute = (type: number, value: Buffer): Buffer => {
    const header = Buffer.alloc(4)
    header.writeUInt16BE(type, 0)
    header.writeUInt16BE(value.length, 2)
    return Buffer.concat([header, value, Buffer.alloc((4 - (value.length % 4)) % 4)])
  }
  const header = Buffer.alloc(20)
  header.writeUInt16BE(1, 0)
  header.writeUInt32BE(0x2112a442, 4)
  randomBytes(12).copy(header, 8)
  const body = Buffer.concat([
    attribute(0x0006, Buffer.from(username)),
    attribute(0x0024, Buffer.from([0x6e, 0, 0, 0xff])),
    attribute(0x802a, randomBytes(8)),
    attribute(0x0025, Buffer.alloc(0)),
  ])
  header.writeUInt16BE(body.length + 24, 2)
  const signed = Buffer.concat([header, body])
  return Buffer.concat([signed, attribute(0x0008, createHmac('sha1', password).update(signed).digest())])
}
