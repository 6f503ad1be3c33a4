/** A WebRTC connection as its users see it: audio in Opus packets and one data channel of texts, independent of their purpose. */

export interface WebRtc extends AsyncDisposable {
  /** The port of UDP and TCP, for all connections of this process. */
  readonly port: number
  /**
   * Answers an offer. Nothing expensive is created before the other side has authenticated. Throws SdpRefused. The connection is dropped if it is not
   * secure within `connectMs`.
   */
  answer(offer: string, to: PeerHandler): Peer
}

export interface Peer {
  /** The SDP answer. */
  readonly answer: string
  /** Sends one Opus packet of 20 ms; `timestamp` counts samples at 48 kHz. A packet that cannot be sent now is dropped, never queued. */
  sendAudio(packet: Uint8Array, timestamp: number): void
  /** Sends a text on the data channel. Returns false, and sends nothing, if more than 256 KB are waiting. */
  sendText(text: string): boolean
  /** From now on texts wait at their sender, who is told that there is no room: no text is lost. */
  holdTexts(): void
  releaseTexts(): void
  readonly path: 'udp' | 'tcp' | undefined
  stats(): PeerStats
  close(): void
}

export interface PeerStats {
  packetsIn: number
  packetsOut: number
  /** The number of packets from the other side that did not arrive. */
  lost: number
  /** The part of the sent packets that did not arrive, as the other side reports: 0 to 1. */
  lossOut: number
  /** The round trip in milliseconds, measured by RTCP. */
  roundTripMs: number | undefined
}

export interface PeerHandler {
  /** Called when DTLS is established and the fingerprint is that of the offer. */
  connected(): void
  /** Called for each authenticated packet once, in the order of arrival. `sequence` is that of RTP, extended so that it does not wrap. */
  audio(packet: Uint8Array, sequence: number, timestamp: number): void
  channelOpen(): void
  text(message: string): void
  /** Called once. */
  ended(why: 'closed' | 'lost' | 'failed' | 'abuse'): void
}
