/** The handshake of another implementation, whose datagrams are changed, lost, repeated and spliced on their way. */
import type { Random } from '../../../../simulation/random.ts'
import type { FuzzContext, Target } from '../context.ts'
import { callThrough } from '../lean-call.ts'
import { disturbed } from '../mutate.ts'

/** Its messages are sent again only after a second. */
const patienceMs = 600

export class LeanTarget implements Target {
  /** The key agreement of werift, on the side of the client, takes up to 60 ms, and a handshake that begins again repeats it. */
  readonly maxCpuMs = 250
  readonly #context: FuzzContext

  constructor(context: FuzzContext) {
    this.#context = context
  }

  async run(draw: Random): Promise<void> {
    const { corpus, journal } = this.#context
    const share = draw.pick([0.1, 0.3, 1])
    const change = (datagram: Buffer): Buffer[] => {
      const sent = draw.chance(share) ? disturbed(draw, [datagram], corpus.dtls) : [datagram]
      for (const bytes of sent) journal.note(bytes)
      return sent.filter(({ length }) => length > 0)
    }
    if (!(await callThrough(this.#context, change, patienceMs))) this.#context.refused()
  }

  async close(): Promise<void> {}
}
