/** Reads the offer of an untrusted client (RFC 8866, RFC 8829): what an answer needs, or why the offer cannot be answered. */
import type { Localized } from '#platform/errors'
import { refusals } from './phrases.ts'

/** Thrown if the offer cannot be answered; `reason` says what to do. */
export class SdpRefused extends Error {
  override name = 'SdpRefused'
  readonly reason: Localized

  constructor(reason: Localized) {
    super(reason.en)
    this.reason = reason
  }
}

export interface Offer {
  /** The sections in the order of the offer; the answer needs one for each. */
  sections: OfferedSection[]
  /** The payload type of Opus. */
  payloadType: number
  /** The direction (`sendrecv` and so on), as the client sees it. */
  direction: Direction
  ufrag: string
  /** The SHA-256 of the client's certificate. */
  fingerprint: Buffer
  sctpPort: number
}

/** A section of the offer; `refused` are sections in which the answer takes no part. */
export type OfferedSection =
  | { kind: 'audio' | 'data'; mid: string }
  | { kind: 'refused'; mid: string | undefined; line: string }

const directions = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const
export type Direction = (typeof directions)[number]

const bounds = { bytes: 65_536, sections: 8, linesOfSection: 200 } as const

interface Section {
  /** The line of the section without `m=`; empty for the session. */
  media: string
  lines: string[]
}

/** Reads the offer. Throws SdpRefused. */
export function readOffer(text: string): Offer {
  const [session, ...sections] = split(text)
  if (session === undefined) throw new SdpRefused(refusals.notSdp)
  const audio = singleSection(sections, 'audio') ?? refuse(refusals.noAudio)
  const isData = ({ media }: Section): boolean => words(media)[0] === 'application'
  const channels = sections.filter(isData)
  if (channels.length > 1) throw new SdpRefused(refusals.twoChannels)
  const used = [audio, ...channels.filter(({ media }) => words(media)[3] === 'webrtc-datachannel')]
  checkBundle(session, used, audio)
  const all = [session, ...used]
  checkSetup(all)
  return {
    sections: sections.map((section) => offered(section, used, audio)),
    payloadType: opusOf(audio),
    direction: directions.find((name) => has(audio, name) || has(session, name)) ?? 'sendrecv',
    ufrag: ufragOf(session, all),
    fingerprint: fingerprintOf(all),
    sctpPort: sctpPortOf(channels[0]),
  }
}

function refuse(reason: Localized): never {
  throw new SdpRefused(reason)
}

function split(text: string): Section[] {
  if (text.length > bounds.bytes || Buffer.byteLength(text) > bounds.bytes) refuse(refusals.tooLong)
  const sections: Section[] = [{ media: '', lines: [] }]
  for (const raw of text.split('\n')) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (line === '') continue
    if (line.startsWith('m=')) sections.push({ media: line.slice(2), lines: [] })
    else sections.at(-1)!.lines.push(line)
    if (sections.length > bounds.sections + 1) refuse(refusals.tooLong)
    if (sections.at(-1)!.lines.length > bounds.linesOfSection) refuse(refusals.tooLong)
  }
  if (sections[0]!.lines[0] !== 'v=0') refuse(refusals.notSdp)
  return sections
}

const words = (line: string): string[] => line.split(' ')

/** The values of an attribute, such as `a=name:value`. */
const values = ({ lines }: Section, name: string): string[] =>
  lines.filter((line) => line.startsWith(`a=${name}:`)).map((line) => line.slice(name.length + 3).trim())

const has = ({ lines }: Section, name: string): boolean => lines.includes(`a=${name}`)

/** The section of this kind, if there is exactly one. */
function singleSection(sections: Section[], kind: string): Section | undefined {
  const found = sections.filter(({ media }) => words(media)[0] === kind)
  return found.length === 1 ? found[0] : undefined
}

/** Whether a text may be repeated in the answer: only these characters are allowed. */
const isName = (text: string | undefined): text is string =>
  text !== undefined && /^[A-Za-z0-9+/_.!#$%&'*^`{|}~-]{1,64}$/.test(text)

const midOf = (section: Section): string | undefined => {
  const [mid] = values(section, 'mid')
  return isName(mid) ? mid : undefined
}

function checkBundle(session: Section, used: Section[], audio: Section): void {
  const bundle = values(session, 'group').find((value) => value.startsWith('BUNDLE ')) ?? ''
  const names = words(bundle).slice(1)
  const mids = used.map(midOf)
  const isBundled = mids.every((mid) => mid !== undefined && names.includes(mid))
  const isProtected = words(audio.media)[2] === 'UDP/TLS/RTP/SAVPF'
  if (!isBundled || new Set(mids).size < mids.length || !isProtected || !has(audio, 'rtcp-mux'))
    refuse(refusals.notBundled)
}

function checkSetup(all: Section[]): void {
  const roles = all.flatMap((section) => values(section, 'setup'))
  const isOurs = roles.length > 0 && roles.every((role) => role === 'actpass' || role === 'passive')
  if (!isOurs) refuse(refusals.wrongSetup)
}

/** The syntax of RFC 8839, section 5.4. */
const iceName = /^[A-Za-z0-9+/]{4,256}$/
const icePassword = /^[A-Za-z0-9+/]{22,256}$/

function ufragOf(session: Section, all: Section[]): string {
  const ufrags = new Set(all.flatMap((section) => values(section, 'ice-ufrag')))
  const passwords = all.flatMap((section) => values(section, 'ice-pwd'))
  const [ufrag = ''] = ufrags
  const isLite = has(session, 'ice-lite')
  const areUsable = passwords.length > 0 && passwords.every((password) => icePassword.test(password))
  if (isLite || ufrags.size !== 1 || !areUsable || !iceName.test(ufrag)) refuse(refusals.noIce)
  return ufrag
}

function fingerprintOf(all: Section[]): Buffer {
  const prefix = 'sha-256 '
  const found = all
    .flatMap((section) => values(section, 'fingerprint'))
    .filter((value) => value.toLowerCase().startsWith(prefix))
    .map((value) => value.slice(prefix.length).trim().toUpperCase())
  const [hex = ''] = found
  if (new Set(found).size !== 1 || !/^[0-9A-F]{2}(?::[0-9A-F]{2}){31}$/.test(hex))
    refuse(refusals.noFingerprint)
  return Buffer.from(hex.replaceAll(':', ''), 'hex')
}

function opusOf(audio: Section): number {
  const listed = words(audio.media).slice(3)
  const found = values(audio, 'rtpmap')
    .map(words)
    .find(([type = '', codec = '']) => listed.includes(type) && codec.toLowerCase() === 'opus/48000/2')
  const type = Number(found?.[0] ?? refuse(refusals.noOpus))
  // Types from 64 to 95 would be read as RTCP (RFC 5761).
  if (!Number.isInteger(type) || type < 0 || type > 127 || (type > 63 && type < 96)) refuse(refusals.noOpus)
  return type
}

function sctpPortOf(channel: Section | undefined): number {
  const port = Number((channel && values(channel, 'sctp-port')[0]) ?? 5_000)
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : refuse(refusals.notSdp)
}

function offered(section: Section, used: Section[], audio: Section): OfferedSection {
  const mid = midOf(section)
  if (used.includes(section)) return { kind: section === audio ? 'audio' : 'data', mid: mid! }
  const [kind, , protocol, format = '0'] = words(section.media)
  if (!isName(kind) || !isName(protocol) || !isName(format)) refuse(refusals.notSdp)
  return { kind: 'refused', mid, line: `${kind} 0 ${protocol} ${format}` }
}
