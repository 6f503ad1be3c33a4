/** Checks of ICE: any bytes are read or dropped, and only who knows the password is believed. */
import { createHmac } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { isAuthentic, readCheck, successOf } from '../../../../../src/platform/webrtc/stun.ts'
import type { Random } from '../../../../simulation/random.ts'
import { type FuzzContext, holds, type Target } from '../context.ts'
import { HostilePeer } from '../hostile-peer.ts'
import { openUdpLine } from '../lines.ts'
import { mutated, randomBytes, someLength } from '../mutate.ts'

const cases = 24
const addresses = [
  '127.0.0.1',
  '0.0.0.0',
  '255.255.255.255',
  '::',
  '::1',
  'fe80::1%eth0',
  '::ffff:1.2.3.4',
] as const
const type = { username: 0x0006, integrity: 0x0008, fingerprint: 0x8028 } as const

interface Attribute {
  type: number
  value: Buffer
}

export class StunTarget implements Target {
  readonly maxCpuMs = 50
  readonly #context: FuzzContext
  #peer: HostilePeer | undefined
  #left = 0

  constructor(context: FuzzContext) {
    this.#context = context
  }

  async run(draw: Random): Promise<void> {
    const peer = await this.#open()
    for (let left = someLength(draw, 6); left >= 0; left--) {
      const isSigned = draw.chance(0.5)
      const bytes = isSigned
        ? this.#signed(draw, peer)
        : mutated(draw, draw.pick(this.#context.corpus.stun), [])
      this.#context.journal.note(bytes)
      readAlone(draw, bytes, isSigned ? peer.password : undefined)
      if (bytes.length > 0) peer.send(bytes)
    }
    if (draw.chance(0.02)) await this.#addPaths(draw, peer)
    if (draw.chance(0.01)) {
      await this.#movePath(peer)
      return
    }
    await peer.settle()
    holds(peer.end === undefined, 'nothing unencrypted ends a secure connection')
  }

  /** Known attributes and others, of hostile lengths, with the integrity that the password gives. */
  #signed(draw: Random, { ufrag, password }: HostilePeer): Buffer {
    const name = draw.pick([`${ufrag}:hostile1`, `${ufrag}:`, `:${ufrag}`, ufrag, `${ufrag}:hostile1:x`, ''])
    const attributes: Attribute[] = [{ type: type.username, value: Buffer.from(name) }]
    for (let left = someLength(draw, 40); left > 0; left--)
      attributes.push({
        type: draw.pick([0x0024, 0x0025, 0x802a, 0x8029, 0xc057, 0x0006, 0x0020, draw.between(0, 65_535)]),
        value: randomBytes(draw, someLength(draw, 40)),
      })
    if (draw.chance(0.3)) attributes.reverse()
    let message: Buffer = Buffer.concat([
      Buffer.from('000100002112a442', 'hex'),
      randomBytes(draw, 12),
      ...attributes.map(encode),
    ])
    if (draw.chance(0.3)) message = Buffer.concat([mutated(draw, message), Buffer.alloc(20)])
    message = message.subarray(0, Math.max(20, Math.min(message.length, 1_400) & ~3))
    message = withLength(message, 24)
    const integrity = createHmac('sha1', password).update(message).digest()
    message = Buffer.concat([message, encode({ type: type.integrity, value: integrity })])
    if (!draw.chance(0.5)) return message
    message = withLength(message, 8)
    const fingerprint = Buffer.alloc(4)
    fingerprint.writeUInt32BE((crc32(message) ^ (draw.chance(0.9) ? 0x5354554e : 0)) >>> 0)
    return Buffer.concat([message, encode({ type: type.fingerprint, value: fingerprint })])
  }

  /** Checks from more addresses than a connection may have. */
  async #addPaths(draw: Random, peer: HostilePeer): Promise<void> {
    await using stack = new AsyncDisposableStack()
    for (let left = someLength(draw, 24); left > 0; left--) {
      const line = stack.use(await openUdpLine(this.#context.rtc.port))
      line.send(peer.check())
    }
    await peer.settle()
  }

  /** The address of this connection becomes that of another. With sixteen addresses it gets none back, so it is given up. */
  async #movePath(peer: HostilePeer): Promise<void> {
    await using other = await HostilePeer.open(this.#context)
    peer.send(other.check())
    await other.settle()
    peer.send(peer.check())
    await other.settle()
    await this.close()
  }

  async #open(): Promise<HostilePeer> {
    if (this.#peer === undefined || this.#left-- === 0) {
      await this.close()
      this.#peer = await HostilePeer.secure(this.#context)
      this.#left = cases
    }
    return this.#peer
  }

  async close(): Promise<void> {
    await this.#peer?.[Symbol.asyncDispose]()
    this.#peer = undefined
  }
}

/** The readers by themselves, for what the endpoint drops before it asks them. */
function readAlone(draw: Random, bytes: Buffer, password: string | undefined): void {
  const check = readCheck(bytes)
  if (check !== undefined) {
    const answer = successOf(
      check,
      { address: draw.pick(addresses), port: draw.between(0, 65_535) },
      'secret',
    )
    holds(answer.length % 4 === 0 && answer.length <= 92, 'an answer to a check has its length')
  }
  holds(!isAuthentic(bytes, 'a password that nobody uses'), 'no check is believed without its password')
  if (password !== undefined) isAuthentic(bytes, password)
}

function encode({ type: kind, value }: Attribute): Buffer {
  const header = Buffer.alloc(4)
  header.writeUInt16BE(kind, 0)
  header.writeUInt16BE(value.length, 2)
  return Buffer.concat([header, value, Buffer.alloc((4 - (value.length % 4)) % 4)])
}

/** The message with the length that it has when so many bytes follow. */
function withLength(message: Buffer, more: number): Buffer {
  message.writeUInt16BE(message.length + more - 20, 2)
  return message
}
