import { expect, test } from 'vitest'
import { crc32c, RTCDataChannel, RTCDataChannelParameters } from 'werift'
import { Scheduler } from '#platform/scheduler'
import { DataChannel, overheadBytes } from './data-channel.ts'
import { windowBytes } from './receive-window.ts'
import { type RTCDtlsTransport, RTCSctpTransport } from './werift.ts'

/** The type of the chunk that acknowledges data and announces the window. */
const sack = 3

/** A data channel of this room, and a client of another implementation, for which packets can also be written by hand. */
async function openPair() {
  const seen = { opened: 0, closed: 0, abused: 0, texts: [] as string[], window: 0 }
  const line = {
    id: 'client',
    onStateChange: { subscribe: () => ({ unSubscribe: () => undefined }) },
    iceTransport: { role: 'controlling' },
    dataReceiver: (_packet: Buffer) => undefined as unknown,
    sendData: async (packet: Buffer) => void setImmediate(() => channel.receive(packet)),
  }
  const channel: DataChannel = new DataChannel(5_000, {
    flow: new Scheduler().flow(),
    send(packet) {
      if (packet[12] === sack) seen.window = packet.readUInt32BE(20)
      setImmediate(() => line.dataReceiver(packet))
    },
    opened: () => seen.opened++,
    text: (text) => seen.texts.push(text),
    closed: () => seen.closed++,
    abused: () => seen.abused++,
  })
  const client = new RTCSctpTransport(5_000)
  client.setDtlsTransport(line as unknown as RTCDtlsTransport)
  await client.start(5_000)
  const named = (label: string) => new RTCDataChannel(client, new RTCDataChannelParameters({ label }))
  const theirs = named('events')
  await expect.poll(() => seen.opened).toBe(1)
  const { remoteVerificationTag, localTsn } = client.sctp as unknown as {
    remoteVerificationTag: number
    localTsn: number
  }
  const chunkOf = (ahead: number, flags: number, bytes: Buffer, stream = 1): Buffer => {
    const chunk = Buffer.alloc(16)
    chunk.writeUInt8(flags, 1)
    chunk.writeUInt16BE(16 + bytes.length, 2)
    chunk.writeUInt32BE((localTsn + ahead) >>> 0, 4)
    chunk.writeUInt16BE(stream, 8)
    chunk.writeUInt16BE(1, 10)
    chunk.writeUInt32BE(51, 12)
    return Buffer.concat([chunk, bytes])
  }
  const data = (ahead: number, flags: number, bytes: Buffer, stream?: number): void =>
    channel.receive(packetOf(remoteVerificationTag, chunkOf(ahead, flags, bytes, stream)))
  /** Receives complete texts of four bytes in one packet. */
  const bundle = (aheads: number[]): void => {
    const chunks = aheads.map((ahead) => chunkOf(ahead, first | last, Buffer.alloc(4)))
    channel.receive(packetOf(remoteVerificationTag, Buffer.concat(chunks)))
  }
  /** Receives a packet of these chunks, whatever they are. */
  const chunks = (bytes: Buffer): void => channel.receive(packetOf(remoteVerificationTag, bytes))
  return { seen, channel, client, theirs, named, data, bundle, chunks }
}

function packetOf(tag: number, chunk: Buffer): Buffer {
  const padded = Buffer.concat([chunk, Buffer.alloc((4 - (chunk.length % 4)) % 4)])
  const packet = Buffer.concat([Buffer.alloc(12), padded])
  packet.writeUInt16BE(5_000, 0)
  packet.writeUInt16BE(5_000, 2)
  packet.writeUInt32BE(tag, 4)
  packet.writeUInt32LE(crc32c(packet), 8)
  return packet
}

const first = 2
const last = 1
test('texts go both ways, and a channel beside the first is closed', async () => {
  const { seen, channel, theirs, named } = await openPair()
  const heard: unknown[] = []
  theirs.onMessage.subscribe((text) => heard.push(text))
  theirs.send('سلام')
  theirs.send('x'.repeat(65_536))
  await expect.poll(() => seen.texts.map(({ length }) => length)).toEqual([4, 65_536])
  expect(channel.send('درود')).toBe(true)
  await expect.poll(() => heard).toEqual(['درود'])
  const second = named('more')
  await expect.poll(() => second.readyState).toBe('closed')
  expect([seen.opened, seen.closed, seen.abused]).toEqual([1, 0, 0])
  channel.close()
})

test('a message that does not end is ended', async () => {
  const { seen, channel, data } = await openPair()
  data(0, first, Buffer.alloc(1_024))
  for (let i = 1; i < 512; i++) data(i, 0, Buffer.alloc(1_024))
  expect(seen.abused).toBe(0)
  data(512, 0, Buffer.alloc(1))
  expect(seen.abused).toBe(1)
  channel.close()
})

test('so is one of more pieces than any message has', async () => {
  const { seen, channel, data } = await openPair()
  data(0, first, Buffer.alloc(1))
  for (let i = 1; i < 1_024; i++) data(i, 0, Buffer.alloc(1))
  expect(seen.abused).toBe(0)
  data(1_024, 0, Buffer.alloc(1))
  expect(seen.abused).toBe(1)
  channel.close()
})

test('a message of 65,537 bytes ends it', async () => {
  const { seen, channel, data } = await openPair()
  for (let i = 0; i < 64; i++) data(i, i === 0 ? first : 0, Buffer.alloc(1_024))
  data(64, last, Buffer.alloc(1))
  await expect.poll(() => seen.abused).toBe(1)
  expect(seen.texts).toEqual([])
  channel.close()
})

test('beyond 256 that came early only the missing one is taken, and no stream beyond the 64th', async () => {
  const { channel, data } = await openPair()
  data(1, first | last, Buffer.alloc(1), 64)
  expect(channel.association.inboundStreams).not.toHaveProperty('64')
  for (let i = 1; i < 2_000; i++) data(i, first | last, Buffer.alloc(1))
  expect(channel.association.sackMisOrdered.size).toBe(256)
  data(0, first | last, Buffer.alloc(1))
  expect(channel.association.sackMisOrdered.size).toBe(0)
  channel.close()
})

test('nor by packets that begin with one that came before, however many', async () => {
  const { channel, bundle } = await openPair()
  for (let i = 0; i < 100; i++) {
    bundle([-1, ...Array.from({ length: 20 }, (_, at) => 2 + 40 * i + 2 * at)])
    // The pieces of a packet are processed one after another, and the next packet has a turn of its own.
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(channel.association.sackMisOrdered.size).toBeGreaterThanOrEqual(256)
  expect(channel.association.sackMisOrdered.size).toBeLessThan(256 + 20)
  channel.close()
})

test.each([
  ['a chunk', '0b000000'],
  ['a parameter of a heartbeat', '0400000800010000'],
  ['a parameter of a reconfiguration', '82000008000d0000'],
])(
  '%s that says it has no length is dropped with its packet, and the channel goes on',
  async (_what, hex) => {
    const { seen, channel, theirs, chunks } = await openPair()
    chunks(Buffer.from(hex, 'hex'))
    theirs.send('still here')
    await expect.poll(() => seen.texts).toEqual(['still here'])
    channel.close()
  },
)

test('texts that wait close the window of their sender, which is opened again when they are taken', async () => {
  const { seen, channel, data } = await openPair()
  channel.hold(true)
  const text = Buffer.alloc(1_000, 'x')
  const weight = text.length + overheadBytes
  data(0, first | last, text)
  await expect.poll(() => seen.window).toBe(windowBytes - weight)
  for (let i = 1; i < 123; i++) data(i, first | last, text)
  // A part of a message counts as unread like a complete one.
  data(123, first, text)
  await expect.poll(() => seen.window).toBe(0)
  expect(seen.texts).toEqual([])
  channel.hold(false)
  await expect.poll(() => seen.texts.length).toBe(123)
  expect(seen.window).toBeGreaterThan(windowBytes / 4)
  expect([seen.closed, seen.abused]).toEqual([0, 0])
  channel.close()
})

test('whoever ignores the window is not taken beyond four of it, and goes on where he was when there is room', async () => {
  const { seen, channel, data } = await openPair()
  channel.hold(true)
  const text = Buffer.alloc(1_000, 'x')
  for (let i = 0; i < 2_000; i++) data(i, first | last, text)
  const taken = Math.ceil((4 * windowBytes) / (text.length + overheadBytes))
  channel.hold(false)
  await expect.poll(() => seen.texts.length).toBe(taken)
  data(taken, first | last, text)
  await expect.poll(() => seen.texts.length).toBe(taken + 1)
  expect(seen.abused).toBe(0)
  channel.close()
})

test('where 256 came early, a packet that begins with the missing one is taken whole, and one that came before is acknowledged again', async () => {
  const { seen, channel, bundle, data } = await openPair()
  for (let i = 2; i < 300; i += 2) data(i, first | last, Buffer.alloc(1))
  for (let i = 301; i < 600; i++) data(i, first | last, Buffer.alloc(1))
  expect(channel.association.sackMisOrdered.size).toBe(256)
  const began = channel.association.lastReceivedTsn!
  // All acknowledgements of these packets have been sent by now.
  await new Promise((resolve) => setImmediate(resolve))
  seen.window = 0
  bundle([-1])
  await expect.poll(() => seen.window).toBeGreaterThan(0)
  bundle([0, 1, 3])
  await expect.poll(() => channel.association.lastReceivedTsn).toBe((began + 5) >>> 0)
  channel.close()
})
