import { describe, expect, test } from 'vitest'
import { ProtectionProfileAeadAes128Gcm, RtpHeader, SrtcpSession, SrtpSession } from 'werift'
import { writeRtp } from './rtp.ts'
import { type SrtpProfile, SrtpReceiver, SrtpSender, saltBytes, srtpProfiles } from './srtp.ts'

const key = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
const ssrc = 0xdecafbad
const packet = (index: number, payload = `packet ${index}`): [Buffer, Buffer, number] => [
  writeRtp({ payloadType: 111, sequence: index % 65_536, timestamp: (960 * index) % 2 ** 32, ssrc }),
  Buffer.from(payload),
  index,
]

describe.each(Object.entries(srtpProfiles))('with %s', (_name, profile: SrtpProfile) => {
  const master = { key, salt: Buffer.alloc(saltBytes(profile), 9) }
  const pair = () => ({
    sender: new SrtpSender(profile, master),
    receiver: new SrtpReceiver(profile, master),
  })

  test('packets arrive, each once, over the wrap of the sequence', () => {
    const { sender, receiver } = pair()
    for (let index = 64_000; index <= 67_000; index++) {
      const received = receiver.rtp(sender.rtp(...packet(index)))
      if (received?.index !== index) expect(received, String(index)).toMatchObject({ index })
    }
  })

  test('a wrap that falls into a gap of two minutes is noticed', () => {
    const { sender, receiver } = pair()
    expect(receiver.rtp(sender.rtp(...packet(65_000)))).toMatchObject({ index: 65_000 })
    expect(receiver.rtp(sender.rtp(...packet(71_000)))).toMatchObject({ index: 71_000 })
    expect(receiver.rtp(sender.rtp(...packet(70_999)))).toMatchObject({ index: 70_999 })
  })

  test('a packet that is changed, came before or is of another source is not heard', () => {
    const { sender, receiver } = pair()
    const sealed = sender.rtp(...packet(40))
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at]! ^= 1
      expect(receiver.rtp(changed), String(at)).toBeUndefined()
      expect(receiver.rtp(sealed.subarray(0, at)), String(at)).toBeUndefined()
    }
    expect(receiver.rtp(sealed)?.payload.toString()).toBe('packet 40')
    expect(receiver.rtp(sealed)).toBeUndefined()
    const other = writeRtp({ payloadType: 111, sequence: 41, timestamp: 0, ssrc: 1 })
    expect(receiver.rtp(sender.rtp(other, Buffer.from('x'), 41))).toBeUndefined()
  })

  test('a report that is changed or came before is not read', () => {
    const { sender, receiver } = pair()
    const report = Buffer.from('80c90001decafbad80c90001decafbad', 'hex')
    const sealed = sender.rtcp(report)
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at]! ^= 1
      expect(receiver.rtcp(changed), String(at)).toBeUndefined()
      expect(receiver.rtcp(sealed.subarray(0, at)), String(at)).toBeUndefined()
    }
    expect(receiver.rtcp(sealed)).toEqual(report)
    expect(receiver.rtcp(sealed)).toBeUndefined()
    expect(receiver.rtcp(sender.rtcp(report))).toEqual(report)
  })

  test('another implementation understands us, and we it', () => {
    const { sender, receiver } = pair()
    const keys = {
      localMasterKey: key,
      localMasterSalt: master.salt,
      remoteMasterKey: key,
      remoteMasterSalt: master.salt,
    }
    const theirs = new SrtpSession({ keys, profile })
    const theirReports = new SrtcpSession({ keys, profile })
    const [header, payload, index] = packet(500)
    expect(theirs.decrypt(sender.rtp(header, payload, index))).toEqual(Buffer.concat([header, payload]))
    const fields = new RtpHeader({ payloadType: 111, sequenceNumber: 7, timestamp: 9, ssrc })
    expect(receiver.rtp(theirs.encrypt(payload, fields))).toMatchObject({ index: 7, timestamp: 9, payload })
    const report = Buffer.from('80c90001decafbad80c90001decafbad', 'hex')
    expect(theirReports.decrypt(sender.rtcp(report))).toEqual(report)
    expect(receiver.rtcp(theirReports.encrypt(report))).toEqual(report)
    expect(ProtectionProfileAeadAes128Gcm).toBe(srtpProfiles.aes128Gcm)
  })
})
