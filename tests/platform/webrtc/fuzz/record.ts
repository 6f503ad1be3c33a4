/** Writes the corpus: what real clients send, and by hand what none of those at hand sends. */
import { RTCDataChannel, RTCDataChannelParameters } from 'werift'
import { Scheduler } from '#platform/scheduler'
import { openWebRtc } from '#platform/webrtc'
import { DataChannel } from '../../../../src/platform/webrtc/data-channel.ts'
import { frame } from '../../../../src/platform/webrtc/tcp-frames.ts'
import { type RTCDtlsTransport, RTCSctpTransport } from '../../../../src/platform/webrtc/werift.ts'
import { bindingRequest } from '../lean-peer.ts'
import { type CorpusKind, writeInput } from './corpus.ts'
import { newCertificates } from './hostile-dtls.ts'
import { Journal } from './journal.ts'
import { callThrough } from './lean-call.ts'
import { offers } from './offers.ts'

const recordMs = 10_000
const maxDtls = 10
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')

/** Checks: of a lean client, of Chrome with its own attributes, of RFC 5769, and an answer. */
const checks: Readonly<Record<string, Buffer>> = {
  lean: bindingRequest('0123456789ab:lean', 'password'),
  chrome: hex(`000100582112a442 4a6b506f79314b5a31546e41
    0006 0011 613162326333643465356636 3a4778352f 000000 c057 0004 0001000a 802a 0008 5f1b2a3c4d5e6f70
    0025 0000 0024 0004 6e7f1eff 0008 0014 00112233445566778899aabbccddeeff00112233 8028 0004 01020304`),
  rfc5769: hex(`000100582112a442 b7e7a701bc34d686fa87dfae 8022 0010 5354554e207465737420636c69656e74
    0024 0004 6e0001ff 8029 0008 932ff9b151263b36 0006 0009 6576746a3a68367659 202020
    0008 0014 9aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a2 8028 0004 e57a3bcf`),
  answer: hex(`0101003c2112a442 b7e7a701bc34d686fa87dfae 8022 000b 7465737420766563746f7220
    0020 0008 0001a147e112a643 0008 0014 2b91f599fd9e90c38c7489f92af9ba53f06be7d7 8028 0004 c07d4c96`),
  empty: hex('000100002112a442000102030405060708090a0b'),
}

const sound = Buffer.from(Array.from({ length: 60 }, (_, at) => (at * 37) % 256))

/** Packets as they are before their encryption: bare, of Chrome with its extension, with sources and padding, and empty. */
const packets: Readonly<Record<string, Buffer>> = {
  bare: Buffer.concat([hex('806f1001 00003c00 0badcafe'), sound]),
  chrome: Buffer.concat([hex('90ef1002 000043c0 0badcafe bede0003 10a2 22 3f9a1c 31 0007 40 30 00'), sound]),
  'two-bytes': Buffer.concat([hex('906f1003 00004b80 0badcafe 10000001 0100 0000'), sound]),
  sources: Buffer.concat([hex('826f1004 00005340 0badcafe 00000001 00000002'), sound]),
  padded: Buffer.concat([hex('a06f1005 00005b00 0badcafe'), sound, hex('00000004')]),
  empty: hex('806f1006 000062c0 0badcafe'),
  events: hex('80fe1007 00006a80 0badcafe 050a0140'),
}

/** Reports: of a sender with its name, of a receiver, of losses in Chrome, of a goodbye, and of kinds that are not read. */
const reports: Readonly<Record<string, Buffer>> = {
  sender: hex(`81c8000c 0badcafe e8a1b2c3d4e5f607 00003c00 00000064 00001f40
    00000007 0c000003 00011001 00000020 b2c3d4e5 00001000
    81ca0006 0badcafe 0110 6631 4a78543069513178 59376c5a3273 0000`),
  receiver: hex('81c90007 0badcafe 00000007 00000000 00011001 00000010 b2c3d4e5 00008000'),
  'many-blocks': hex(
    `83c90013 0badcafe ${'00000007 ff7fffff ffffffff ffffffff 00000001 00000000'.repeat(3)}`,
  ),
  'transport-wide': hex('8fcd0005 0badcafe 0badcafe 00010005 0000ff01 20050000'),
  extended: hex('80cf0004 0badcafe 04000002 e8a1b2c3 d4e5f607'),
  goodbye: hex('80c90001 0badcafe 81cb0003 0badcafe 03 627965 00000000'),
}

/** Writes all files; returns how many they are. */
export async function recordCorpus(folder: string): Promise<number> {
  let files = 0
  const write = (kind: CorpusKind, inputs: Readonly<Record<string, Uint8Array>>): void => {
    for (const [name, bytes] of Object.entries(inputs)) {
      writeInput(folder, kind, kind === 'sdp' ? `${name}.sdp` : `${name}.bin`, bytes)
      files++
    }
  }
  const dtls = await recordDtls()
  write('sdp', Object.fromEntries(Object.entries(offers).map(([name, text]) => [name, Buffer.from(text)])))
  write('stun', checks)
  write('rtp', packets)
  write('rtcp', reports)
  write('dtls', numbered(dtls))
  write('sctp', numbered(await recordSctp()))
  const framed = (datagrams: Buffer[]): Buffer => Buffer.concat(datagrams.map((bytes) => frame(bytes)))
  write('tcp', {
    check: framed([checks['lean']!]),
    handshake: framed([checks['chrome']!, ...dtls.slice(0, 3)]),
    empty: Buffer.concat([hex('00000000'), framed([checks['lean']!]), hex('0000')]),
    'too-long': Buffer.concat([framed([checks['lean']!]), hex('05dd'), Buffer.alloc(40)]),
  })
  return files
}

const numbered = (inputs: Buffer[]): Record<string, Buffer> =>
  Object.fromEntries(inputs.map((bytes, at) => [String(at).padStart(2, '0'), bytes]))

/** The datagrams of a handshake that succeeds, and the first ones behind it. */
async function recordDtls(): Promise<Buffer[]> {
  const datagrams: Buffer[] = []
  await using rtc = await openWebRtc({ listen: ['127.0.0.1'], publicIps: [], ports: [0, 0], tcp: true })
  const context = {
    rtc,
    corpus: { sdp: [], stun: [], dtls: [], rtp: [], rtcp: [], sctp: [], tcp: [] },
    journal: new Journal(),
    certificates: await newCertificates(),
    step: () => undefined,
    refused: () => undefined,
  }
  const keep = (datagram: Buffer): Buffer[] => {
    datagrams.push(Buffer.from(datagram))
    return [datagram]
  }
  if (!(await callThrough(context, keep, recordMs)))
    throw new Error('The handshake of the corpus was not made.')
  return datagrams.slice(0, maxDtls)
}

/** The packets of a client of werift that opens a channel, says two texts, opens a second channel and ends. */
async function recordSctp(): Promise<Buffer[]> {
  const packets: Buffer[] = []
  const opened = Promise.withResolvers<void>()
  const heard = Promise.withResolvers<void>()
  let texts = 0
  const line = {
    id: 'client',
    onStateChange: { subscribe: () => ({ unSubscribe: () => undefined }) },
    iceTransport: { role: 'controlling' },
    dataReceiver: (_packet: Buffer) => undefined as unknown,
    sendData: async (packet: Buffer) => {
      packets.push(Buffer.from(packet))
      setImmediate(() => channel.receive(packet))
    },
  }
  const channel: DataChannel = new DataChannel(5_000, {
    flow: new Scheduler().flow(),
    send: (packet) => void setImmediate(() => line.dataReceiver(packet)),
    opened: () => opened.resolve(),
    text: (text) => {
      channel.send(text)
      if (++texts === 2) heard.resolve()
    },
    closed: () => undefined,
    abused: () => undefined,
  })
  const client = new RTCSctpTransport(5_000)
  client.setDtlsTransport(line as unknown as RTCDtlsTransport)
  await client.start(5_000)
  const named = (label: string) => new RTCDataChannel(client, new RTCDataChannelParameters({ label }))
  const first = named('oai-events')
  await opened.promise
  first.send('{"type":"session.update"}')
  first.send('x'.repeat(2_500))
  await heard.promise
  const second = named('more')
  const closed = Promise.withResolvers<void>()
  second.stateChanged.subscribe((state) => {
    if (state === 'closed') closed.resolve()
  })
  await closed.promise
  await client.sctp.stop()
  channel.close()
  return packets.slice(0, 16)
}
