/** Offers: any text is answered or refused, and nothing of it gets into the answer that SDP does not allow. */
import { SdpRefused } from '#platform/webrtc'
import type { Random } from '../../../../simulation/random.ts'
import { type FuzzContext, holds, type Target } from '../context.ts'
import { mutated, someLength } from '../mutate.ts'

const maxOfferBytes = 70_000
const nobody = { connected() {}, audio() {}, channelOpen() {}, text() {}, ended() {} }
const tokens: readonly string[] = [
  ...[
    '',
    ' ',
    '  ',
    '\t',
    '\0',
    '\r',
    '0',
    '-1',
    '1e3',
    '65536',
    '4294967296',
    '9'.repeat(400),
    'NaN',
    '\u0660',
  ],
  ...[
    '\u2028',
    '\ud800',
    'é',
    '*',
    ':',
    '=',
    '/',
    'a=',
    'm=',
    'v=0',
    'BUNDLE',
    'opus/48000/2',
    'OPUS/48000/2',
  ],
  ...['sha-256', 'actpass', 'passive', 'active', '__proto__', 'constructor', 'webrtc-datachannel'],
]

type LineChange = (draw: Random, lines: string[], others: string[]) => void

const lineChanges: readonly LineChange[] = [
  (draw, lines) => void lines.splice(draw.between(0, lines.length), draw.between(1, 3)),
  (draw, lines) => void lines.splice(draw.between(0, lines.length), 0, draw.pick(lines)),
  (draw, lines, others) => void lines.splice(draw.between(0, lines.length), 0, draw.pick(others)),
  (draw, lines, others) => {
    const from = draw.between(0, others.length - 1)
    lines.push(...others.slice(from, from + draw.between(1, 20)))
  },
  (draw, lines) => {
    const times = someLength(draw, 300)
    lines.splice(draw.between(0, lines.length), 0, ...Array<string>(times).fill(draw.pick(lines)))
  },
  (draw, lines) => {
    const [one, other] = [draw.between(0, lines.length - 1), draw.between(0, lines.length - 1)]
    ;[lines[one], lines[other]] = [lines[other] ?? '', lines[one] ?? '']
  },
  changeToken,
  changeToken,
  changeToken,
]

/** Replaces one word of a line, or puts another into it. */
function changeToken(draw: Random, lines: string[]): void {
  const at = draw.between(0, lines.length - 1)
  const parts = (lines[at] ?? '').split(/(?<=[ :=/])/)
  parts.splice(draw.between(0, parts.length), draw.between(0, 1), draw.pick(tokens))
  lines[at] = parts.join('')
}

export class SdpTarget implements Target {
  readonly maxCpuMs = 50
  readonly #context: FuzzContext

  constructor(context: FuzzContext) {
    this.#context = context
  }

  async run(draw: Random): Promise<void> {
    const offer = this.#draw(draw)
    this.#context.journal.note(Buffer.from(offer))
    try {
      const peer = this.#context.rtc.answer(offer, nobody)
      checkAnswer(offer, peer.answer)
      peer.close()
    } catch (error) {
      if (!(error instanceof SdpRefused)) throw error
      this.#context.refused()
    }
  }

  #draw(draw: Random): string {
    const { sdp } = this.#context.corpus
    const seed = draw.pick(sdp)
    if (draw.chance(0.3))
      return mutated(draw, seed, sdp, maxOfferBytes).toString(draw.pick(['utf8', 'latin1'] as const))
    const lines = seed.toString().split('\r\n')
    const others = draw.pick(sdp).toString().split('\r\n')
    for (let left = 1 + someLength(draw, 6); left > 0 && lines.length > 0; left--)
      draw.pick(lineChanges)(draw, lines, others)
    return lines.join(draw.chance(0.9) ? '\r\n' : draw.pick(['\n', '\r', '\n\n', '\r\r\n']))
  }

  async close(): Promise<void> {}
}

function checkAnswer(offer: string, answer: string): void {
  const lines = answer.split('\r\n')
  holds(lines.pop() === '', 'the answer ends with the end of a line')
  holds(
    lines.every((line) => /^[a-z]=[\x21-\x7e][\x20-\x7e]*$/.test(line)),
    'every line of the answer is one of SDP',
  )
  const sections = (text: string): number => text.split('\n').filter((line) => line.startsWith('m=')).length
  holds(sections(answer) === sections(offer), 'the answer has as many sections as the offer')
}
