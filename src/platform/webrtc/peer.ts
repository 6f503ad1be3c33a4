/** The ends of a WebRTC connection as its users see them: audio in Opus packets, one data channel of texts, no word of what they are for. */

export interface WebRtc extends AsyncDisposable {
  /** UDP and TCP: the same number, for all connections of this process. */
  readonly port: number
  /** Makes nothing that costs before the other side has proven itself. Throws SdpRefused. Dropped where it is not secure within `connectMs`. */
  answer(offer: string, to: PeerHandler): Peer
}

export interface Peer {
  /** The SDP answer. */
  readonly answer: string
  /** One Opus packet of 20 ms; `timestamp` counts samples at 48 kHz. What cannot be sent now is dropped, never queued. */
  sendAudio(packet: Uint8Array, timestamp: number): void
  /** On the data channel. False where more than 256 KB wait: it was not taken. */
  sendText(text: string): boolean
  /** From now on texts wait at their sender, who is told that there is no room: nothing of them is lost. */
  holdTexts(): void
  releaseTexts(): void
  readonly path: 'udp' | 'tcp' | undefined
  stats(): PeerStats
  close(): void
}

export interface PeerStats {
  packetsIn: number
  packetsOut: number
  /** Of those sent to us: never arrived. */
  lost: number
  /** Of ours, as the other side reports: 0 to 1. */
  lossOut: number
  /** Milliseconds, by RTCP. */
  roundTripMs: number | undefined
}

export interface PeerHandler {
  /** DTLS is up and the fingerprint is that of the offer. */
  connected(): void
  /** Authenticated, in the order of arrival, each once. `sequence` is the one of RTP, extended so that it does not wrap. */
  audio(packet: Uint8Array, sequence: number, timestamp: number): void
  channelOpen(): void
  text(message: string): void
  /** Once. */
  ended(why: 'closed' | 'lost' | 'failed' | 'abuse'): void
}
