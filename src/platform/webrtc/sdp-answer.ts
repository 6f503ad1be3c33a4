/** The SDP answer to an offer: ICE-lite, one path for everything, DTLS as client. */
import type { Direction, Offer, OfferedSection } from './sdp-offer.ts'

export interface Candidate {
  transport: 'udp' | 'tcp'
  address: string
  port: number
}

export interface OwnParameters {
  ufrag: string
  password: string
  /** The SHA-256 fingerprint of this side's certificate, as `AB:CD…`. */
  fingerprint: string
  candidates: readonly Candidate[]
  /** The source id of the sent sound. */
  ssrc: number
  sctpPort: number
  maxMessageLength: number
}

const opposite: Record<Direction, Direction> = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
}

export function writeAnswer(offer: Offer, own: OwnParameters): string {
  const used = offer.sections.flatMap((section) => (section.kind === 'refused' ? [] : [section.mid]))
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 0.0.0.0',
    's=-',
    't=0 0',
    'a=ice-lite',
    `a=group:BUNDLE ${used.join(' ')}`,
    'a=msid-semantic: WMS *',
    ...offer.sections.flatMap((section) => sectionLines(section, offer, own)),
  ]
  return `${lines.join('\r\n')}\r\n`
}

function sectionLines(section: OfferedSection, offer: Offer, own: OwnParameters): string[] {
  if (section.kind === 'refused')
    return [
      `m=${section.line}`,
      'c=IN IP4 0.0.0.0',
      ...(section.mid === undefined ? [] : [`a=mid:${section.mid}`]),
      'a=inactive',
    ]
  const path = pathLines(section.mid, own)
  return section.kind === 'audio' ? audioLines(path, offer, own) : dataLines(path, own)
}

function audioLines(path: string[], { payloadType, direction }: Offer, { ssrc }: OwnParameters): string[] {
  return [
    `m=audio 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
    ...path,
    'a=rtcp-mux',
    `a=${opposite[direction]}`,
    `a=rtpmap:${payloadType} opus/48000/2`,
    // Without DTX a muted client continues to send, so that silence on the connection means that the client is gone.
    `a=fmtp:${payloadType} minptime=10;useinbandfec=1;usedtx=0`,
    'a=ptime:20',
    'a=msid:out out',
    `a=ssrc:${ssrc} cname:out`,
  ]
}

const dataLines = (path: string[], { sctpPort, maxMessageLength }: OwnParameters): string[] => [
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  ...path,
  `a=sctp-port:${sctpPort}`,
  `a=max-message-size:${maxMessageLength}`,
]

function pathLines(mid: string, own: OwnParameters): string[] {
  return [
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    `a=ice-ufrag:${own.ufrag}`,
    `a=ice-pwd:${own.password}`,
    `a=fingerprint:sha-256 ${own.fingerprint}`,
    'a=setup:active',
    ...own.candidates.map(candidateLine),
    'a=end-of-candidates',
  ]
}

/** The line of a candidate. Earlier candidates are preferred, and UDP before TCP (RFC 8445 5.1.2, RFC 6544 4.2). */
function candidateLine({ transport, address, port }: Candidate, index: number): string {
  const typePreference = transport === 'udp' ? 126 : 90
  const priority = typePreference * 2 ** 24 + (65_535 - index) * 2 ** 8 + 255
  const more = transport === 'tcp' ? ' tcptype passive' : ''
  return `a=candidate:${index + 1} 1 ${transport} ${priority} ${address} ${port} typ host${more}`
}
