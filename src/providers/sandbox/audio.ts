/** Speech without a model: a synthesiser of our own that reads Persian and simple English; of a recording it says how long it is. */
import type { AudioOrder } from '#engine/turn'
import { type AudioCall, type AudioProvider, type Spoken, UpstreamError } from '#providers/spec'
import { type Directives, readDirectives } from './directives.ts'
import { raise } from './faults.ts'
import { Pacer, realClock } from './pace.ts'
import { sampleRate, speak, type Voice, voices } from './speech/speech.ts'

/**
 * The directives for faults and pace are those of the text models (`directives.ts`): a piece is a tenth of a second of sound, and `malformed`
 * after some pieces sends bytes that are no sound.
 */
export function sandboxAudio(): AudioProvider {
  return { speak: (call) => speakAll(call) }
}

/** Between two speakers, in samples. */
const gap = Math.round(sampleRate / 4)
const cutAfter = 3

async function speakAll({ order, upstreamModel, signal, timeouts }: AudioCall): Promise<Spoken> {
  if (signal.aborted) throw new UpstreamError('aborted', { executed: false })
  if (!/^(sandbox\/)?speech(:|$)/.test(upstreamModel)) {
    const detail = `The sandbox has no audio model "${upstreamModel}".`
    throw new UpstreamError('not_found', { status: 404, executed: false, param: 'model', detail })
  }
  const { lines, directives } = readLines(order)
  const patience = { ...timeouts, firstTokenMs: timeouts.totalMs }
  const pacer = new Pacer(directives, patience, { signal, clock: realClock, run: { paused: undefined } })
  const strikes = directives.fault && (directives.on === undefined || directives.on === upstreamModel)
  const after =
    directives.after ?? (directives.fault === 'cut' || directives.fault === 'stall' ? cutAfter : 0)
  order.sink.begin({ encoding: 'pcm', rate: sampleRate, channels: 1 })
  for (const piece of piecesOf(lines)) {
    if (strikes && pacer.sent >= after) await raise(directives.fault!, directives, pacer)
    await pacer.next()
    await order.sink.write(bytesOf(piece))
  }
  // A text that was over before its fault was due.
  if (strikes) await raise(directives.fault!, directives, pacer)
  const characters = lines.reduce((sum, { text }) => sum + [...text].length, 0)
  return {
    usage: { characters },
    ...(order.question && { transcript: lines.map(({ text }) => text).join(' ') }),
  }
}

interface Line {
  text: string
  voice: Voice
}

/** What is said by whom; the directives of all lines together. */
function readLines({ lines, question }: AudioOrder): { lines: Line[]; directives: Directives } {
  const directives: Directives = {}
  const read = lines.map(({ text, voice: wanted }) => {
    const found = readDirectives(question ? (question.text ?? '') : text)
    Object.assign(directives, found.directives)
    const voice = voices.find(({ id }) => id === wanted)
    if (!voice) throw noVoice(wanted)
    const seconds = Math.round(question?.recording.durationSeconds ?? 0)
    return { text: question ? `شبیه‌ساز هستم. ضبط شما ${seconds} ثانیه بود.` : found.text, voice }
  })
  return { lines: read, directives }
}

function noVoice(voice: string): UpstreamError {
  const detail = `The sandbox has no voice "${voice}".`
  return new UpstreamError('invalid_request', { status: 400, executed: false, param: 'voice', detail })
}

function* piecesOf(lines: readonly Line[]): Generator<Int16Array> {
  for (const [index, { text, voice }] of lines.entries()) {
    if (index > 0) yield new Int16Array(gap)
    yield* speak(text, voice)
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int16Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)
