/** Frames of TCP: cut and joined anywhere they are the same datagrams, and a stream of any bytes is read or closed. */
import { setImmediate as turn } from 'node:timers/promises'
import { FrameReader, frame, maxDatagramLength } from '../../../../../src/platform/webrtc/tcp-frames.ts'
import type { Random } from '../../../../simulation/random.ts'
import { type FuzzContext, holds, type Target } from '../context.ts'
import { HostilePeer } from '../hostile-peer.ts'
import { mutated, pieces, randomBytes, someLength } from '../mutate.ts'

const maxPieces = 12
/** After so many empty frames a stream is at the beginning of a frame again, or one byte beside it. */
const filler = Buffer.alloc(maxDatagramLength + 4)

export class TcpTarget implements Target {
  readonly maxCpuMs = 50
  readonly #context: FuzzContext

  constructor(context: FuzzContext) {
    this.#context = context
  }

  async run(draw: Random): Promise<void> {
    if (draw.chance(0.5)) this.#frames(draw)
    else await this.#connection(draw)
  }

  /** The reader by itself: whole frames come out as they went in, and any bytes come out bounded. */
  #frames(draw: Random): void {
    const { stun, dtls, rtp } = this.#context.corpus
    const sent = Array.from({ length: someLength(draw, 12) }, () =>
      draw.chance(0.5)
        ? draw.pick([...stun, ...dtls, ...rtp])
        : randomBytes(draw, someLength(draw, maxDatagramLength)),
    )
    const honest = Buffer.concat(sent.map((datagram) => frame(datagram)))
    const isHonest = draw.chance(0.5)
    const stream = isHonest ? honest : mutated(draw, honest, [], 20_000)
    this.#context.journal.note(stream)
    const reader = new FrameReader()
    const received: Buffer[] = []
    for (const piece of pieces(draw, stream, 200)) {
      reader.push(piece)
      for (let next = reader.shift(); next !== undefined; next = reader.shift()) {
        if (next === 'malformed') {
          holds(!isHonest, 'an honest frame is read')
          this.#context.refused()
          return
        }
        received.push(next)
      }
    }
    holds(
      received.every(({ length }) => length > 0 && length <= maxDatagramLength),
      'a datagram over TCP has its bounds',
    )
    if (!isHonest) return
    const isSame = received.length === sent.length && received.every((bytes, at) => bytes.equals(sent[at]!))
    holds(isSame, 'datagrams leave whole and in order, however their bytes come')
  }

  /** A connection to the endpoint, of a stranger or of a client that has proven itself. */
  async #connection(draw: Random): Promise<void> {
    await using peer = await HostilePeer.open(this.#context, { isTcp: true })
    if (draw.chance(0.5)) await peer.settle()
    const stream = this.#stream(draw, peer)
    this.#context.journal.note(stream)
    for (const piece of pieces(draw, stream, maxPieces)) {
      peer.write(piece)
      if (draw.chance(0.5)) await turn()
    }
    const check = peer.check()
    const isRead = await peer.answerTo(check, () => {
      peer.write(filler)
      peer.write(frame(check))
      peer.write(filler)
    })
    if (!isRead) this.#context.refused()
    holds(isRead || peer.isOver, 'a stream of frames is read on, or closed')
  }

  #stream(draw: Random, peer: HostilePeer): Buffer {
    const { stun, dtls, rtp, tcp } = this.#context.corpus
    if (draw.chance(0.4)) return mutated(draw, draw.pick(tcp), tcp, 8_000)
    const datagrams = Array.from({ length: someLength(draw, 8) }, () => {
      const honest = draw.pick([peer.check(), ...stun, ...dtls, ...rtp])
      return draw.chance(0.5) ? honest : mutated(draw, honest, [...dtls, ...stun], 2_000)
    })
    const stream = Buffer.concat(datagrams.map((datagram) => frame(datagram.subarray(0, 65_535))))
    return draw.chance(0.5) ? stream : mutated(draw, stream, tcp, 8_000)
  }

  async close(): Promise<void> {}
}
