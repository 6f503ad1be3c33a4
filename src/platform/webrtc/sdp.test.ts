import { describe, expect, test } from 'vitest'
import type { Localized } from '#platform/errors'
import fc from '../../../tests/harness/fast-check.ts'
import { fingerprint, offerLines as offer } from '../../../tests/voice/offer.ts'
import { refusals } from './phrases.ts'
import { writeAnswer } from './sdp-answer.ts'
import { readOffer, SdpRefused } from './sdp-offer.ts'

const text = (lines: readonly string[]): string => lines.join('\r\n')
const replaced = (from: string, to: string): string => text(offer.map((line) => (line === from ? to : line)))
const icePwd = /a=ice-pwd:\S+/
const withPassword = (password: string): string =>
  text(offer).replaceAll(new RegExp(icePwd, 'g'), `a=ice-pwd:${password}`)
const video = ['m=video 9 UDP/TLS/RTP/SAVPF 96', 'a=mid:2', 'a=rtpmap:96 VP8/90000']

function refusalOf(sdp: string): unknown {
  try {
    return readOffer(sdp)
  } catch (error) {
    if (error instanceof SdpRefused) return error.reason
    throw error
  }
}

test('an offer of a browser is read', () => {
  expect(readOffer(text(offer))).toEqual({
    sections: [
      { kind: 'audio', mid: '0' },
      { kind: 'data', mid: '1' },
    ],
    payloadType: 111,
    direction: 'sendrecv',
    ufrag: '2DtF',
    fingerprint: Buffer.alloc(32, 0xab),
    sctpPort: 5_000,
  })
})

describe('an offer is refused with what to do', () => {
  type RefusalCase = [what: string, sdp: string, reason: Localized]
  test.each<RefusalCase>([
    ['nothing', '', refusals.notSdp],
    ['no SDP', '{"type":"offer"}', refusals.notSdp],
    ['no audio', text([...offer.slice(0, 5), ...offer.slice(15)]), refusals.noAudio],
    ['two of audio', text([...offer, ...offer.slice(5, 15)]), refusals.noAudio],
    ['no Opus', replaced('a=rtpmap:111 opus/48000/2', 'a=rtpmap:111 PCMU/8000'), refusals.noOpus],
    ['a type of RTCP', text(offer).replaceAll('111', '72'), refusals.noOpus],
    ['two of data', text([...offer, ...offer.slice(15)]), refusals.twoChannels],
    ['no bundle', replaced('a=group:BUNDLE 0 1', 'a=group:LS 0 1'), refusals.notBundled],
    ['a part outside the bundle', replaced('a=group:BUNDLE 0 1', 'a=group:BUNDLE 0'), refusals.notBundled],
    ['a name twice', replaced('a=mid:1', 'a=mid:0'), refusals.notBundled],
    ['RTCP on a port of its own', replaced('a=rtcp-mux', 'a=rtcp:9'), refusals.notBundled],
    [
      'no fingerprint',
      text(offer.filter((line) => !line.startsWith('a=fingerprint'))),
      refusals.noFingerprint,
    ],
    ['another hash', text(offer).replaceAll('sha-256', 'sha-1'), refusals.noFingerprint],
    [
      'two fingerprints',
      `${text(offer)}\r\na=fingerprint:sha-256 ${fingerprint.replace('AB', 'AC')}`,
      refusals.noFingerprint,
    ],
    ['the role that is ours', text(offer).replaceAll('actpass', 'active'), refusals.wrongSetup],
    ['no role', text(offer.filter((line) => line !== 'a=setup:actpass')), refusals.wrongSetup],
    ['ICE-lite', replaced('t=0 0', 'a=ice-lite'), refusals.noIce],
    ['no name of ICE', text(offer.filter((line) => !line.startsWith('a=ice-ufrag'))), refusals.noIce],
    ['an end of a line in a name', text(offer).replaceAll('2DtF', '2D tF'), refusals.noIce],
    ...['abc', 'a'.repeat(21), 'a'.repeat(257), `${'a'.repeat(21)}=`, `${'a'.repeat(21)}é`, ''].map(
      (password): RefusalCase => [
        `the password “${password.slice(0, 25)}”`,
        withPassword(password),
        refusals.noIce,
      ],
    ),
    ['one password of two that is too short', text(offer).replace(icePwd, 'a=ice-pwd:abc'), refusals.noIce],
    ...['abc', 'a'.repeat(257), '2DtF-'].map(
      (name): RefusalCase => [
        `the name “${name.slice(0, 5)}”`,
        text(offer).replaceAll('2DtF', name),
        refusals.noIce,
      ],
    ),
    ['65,537 bytes', `${text(offer)}\r\n`.padEnd(65_537, 'a'), refusals.tooLong],
    ['201 lines in a section', text([...offer, ...Array<string>(195).fill('a=x')]), refusals.tooLong],
    ['9 sections', text([...offer, ...Array(7).fill(video).flat()]), refusals.tooLong],
  ])('%s', (_what, sdp, reason) => {
    expect(refusalOf(sdp)).toBe(reason)
  })

  test('and is read with names and passwords of ICE of every length that RFC 8839 allows', () => {
    for (const password of ['a+/9'.padEnd(22, 'Z'), 'a'.repeat(256)])
      expect(refusalOf(withPassword(password))).toMatchObject({ ufrag: '2DtF' })
    for (const name of ['a+/9', 'a'.repeat(256)])
      expect(refusalOf(text(offer).replaceAll('2DtF', name))).toMatchObject({ ufrag: name })
  })

  test('and is read where it is as long as it may be', () => {
    const maxLengthOffer = text([...offer, ...Array<string>(194).fill('a=x')])
    expect(refusalOf(maxLengthOffer)).toMatchObject({ payloadType: 111 })
    expect(refusalOf(text([...offer, ...Array(6).fill(video).flat()]))).toMatchObject({ payloadType: 111 })
    const padded = `${text(offer)}\r\na=`
    expect(refusalOf(padded.padEnd(65_536, 'a'))).toMatchObject({ payloadType: 111 })
  })
})

test('any text is read or refused', () => {
  const line = fc.oneof(fc.constantFrom(...offer, ...video), fc.string({ maxLength: 60 }))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      refusalOf(text(lines))
      refusalOf(text(['v=0', ...lines]))
    }),
  )
})

test('the answer takes Opus and data, refuses pictures, and gives both ways', () => {
  const read = readOffer(text([...offer, ...video]))
  const answer = writeAnswer(
    { ...read, direction: 'sendonly' },
    {
      ufrag: 'ours',
      password: 'secret',
      fingerprint,
      candidates: [
        { transport: 'udp', address: '203.0.113.7', port: 40_000 },
        { transport: 'tcp', address: '2001:db8::7', port: 40_000 },
      ],
      ssrc: 7,
      sctpPort: 5_000,
      maxMessageLength: 65_536,
    },
  )
  const lines = answer.split('\r\n')
  expect(lines.filter((line) => line.startsWith('m='))).toEqual([
    'm=audio 9 UDP/TLS/RTP/SAVPF 111',
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    'm=video 0 UDP/TLS/RTP/SAVPF 96',
  ])
  expect(lines).toContain('a=group:BUNDLE 0 1')
  expect(lines).toContain('a=recvonly')
  expect(lines).toContain('a=candidate:1 1 udp 2130706431 203.0.113.7 40000 typ host')
  expect(lines).toContain('a=candidate:2 1 tcp 1526726399 2001:db8::7 40000 typ host tcptype passive')
})
