import { expect, test } from 'vitest'
import { Media } from './media.ts'
import { writeRtp } from './rtp.ts'
import { SrtpSender, srtpProfiles } from './srtp.ts'

const profile = srtpProfiles.aes128Gcm
const master = (fill: number) => ({ key: Buffer.alloc(16, fill), salt: Buffer.alloc(12, fill) })

/** This side, and sound and reports that it receives; the clock stands still. */
function openPair() {
  const media = new Media(
    { profile, ours: master(1), theirs: master(2) },
    { payloadType: 111, ssrc: 7, nowMs: 0 },
  )
  const sender = new SrtpSender(profile, master(2))
  let index = 0
  const sound = (times = 1, bytes = 3, payloadType = 111) => {
    const results = Array.from({ length: times }, () => {
      const header = writeRtp({ payloadType, ssrc: 9, timestamp: 960 * index, sequence: ++index % 65_536 })
      return media.receive(sender.rtp(header, Buffer.alloc(bytes, 1), index), 0)
    })
    return results.at(-1)!
  }
  const report = (times: number): void => {
    for (let time = 0; time < times; time++)
      media.receive(sender.rtcp(Buffer.from('80c9000100000009', 'hex')), 0)
  }
  return { media, sound, report }
}

test('120 packets at once are heard, and the next is a flood', () => {
  const { sound } = openPair()
  expect(sound(120)).toMatchObject({ authentic: true, packet: { index: 120 } })
  expect(sound()).toEqual({ authentic: true, isFlood: true })
})

test('200 packets a second are no abuse for however long, and 201 are in the fifth second, reports among them', () => {
  const { media, sound, report } = openPair()
  const seconds = (count: number, packets: number, reports: number): boolean[] =>
    Array.from({ length: count }, () => {
      sound(packets)
      report(reports)
      return media.isAbused()
    })
  expect(seconds(20, 100, 100)).not.toContain(true)
  expect(seconds(4, 101, 100)).not.toContain(true)
  // One second within the bound restarts the count.
  expect(seconds(1, 100, 100)).toEqual([false])
  expect(seconds(5, 101, 100)).toEqual([false, false, false, false, true])
})

test('2,000 within a second are borne, and one more is a flood, reports among them', () => {
  const { media, sound, report } = openPair()
  sound(1_000)
  report(1_000)
  expect(media.isFlooded).toBe(false)
  report(1)
  expect(media.isFlooded).toBe(true)
  media.isAbused()
  expect(media.isFlooded).toBe(false)
})

test('reports are written after February 2036 too, when the seconds of NTP wrap', () => {
  const { media } = openPair()
  const report = (nowMs: number): number => media.report(nowMs).length
  expect(report(Date.UTC(2036, 1, 8))).toBe(report(Date.UTC(2026, 1, 8)))
})

test('a packet of 1,275 bytes is heard, and neither one of more nor of another kind nor an empty one', () => {
  const { sound } = openPair()
  expect(sound(1, 1_275).packet?.payload).toHaveLength(1_275)
  expect(sound(1, 1_276)).toEqual({ authentic: true })
  expect(sound(1, 3, 110)).toEqual({ authentic: true })
  expect(sound(1, 0)).toEqual({ authentic: true })
})
