/** Speech without a model: a synthesiser of our own that reads Persian and simple English, at the pace and pitch that instructions ask for. */
import { type AudioCall, type AudioProvider, type SpeechResult, UpstreamError } from '#core/spec'
import type { AudioOrder } from '#core/turn'
import { faultIn, SoundSniffer } from '#providers/kit'
import { type Directives, readDirectives } from './directives.ts'
import { raise } from './faults.ts'
import { provenance } from './image/poster.ts'
import { Pacer, realClock } from './pace.ts'
import { instructedVoice, sampleRate, type Voice, voices } from './speech/speech.ts'
import { speakTracked } from './track/write.ts'
import { warmSound } from './warm-sound.ts'

/**
 * The sandbox's speech. The directives for faults, pace and spoilt bytes are those of `directives.ts`: a piece is a tenth of a second of sound, and a
 * fault before the first piece comes without a byte, so that a fallback may answer in its place.
 */
export function sandboxAudio(): AudioProvider {
  return { speak: (call) => speakAll(call), warm: warmSound }
}

/** The pause between two speakers, in samples. */
const gap = Math.round(sampleRate / 4)
const cutAfter = 3
const page = '<!doctype html><title>The sandbox</title><p>A page in place of the sound, as ordered.</p>'

async function speakAll({ order, upstreamModel, signal, timeouts }: AudioCall): Promise<SpeechResult> {
  if (signal.aborted) throw new UpstreamError('aborted', { executed: false })
  if (!/^(sandbox\/)?speech(:|$)/.test(upstreamModel)) {
    const detail = `The sandbox has no audio model "${upstreamModel}".`
    throw new UpstreamError('not_found', { status: 404, executed: false, param: 'model', detail })
  }
  if (order.question) {
    const detail = 'The sandbox answers no recordings by itself.'
    throw new UpstreamError('invalid_request', { status: 400, executed: false, detail })
  }
  const { lines, directives } = readLines(order)
  const pacerTimeouts = { ...timeouts, firstTokenMs: timeouts.totalMs }
  const pacer = new Pacer(directives, pacerTimeouts, { signal, clock: realClock, run: { paused: undefined } })
  const { fault, on, bytes, omit } = directives
  const hasFault = fault !== undefined && (on === undefined || on === upstreamModel)
  const after = directives.after ?? (fault === 'cut' || fault === 'stall' ? cutAfter : 0)
  if (hasFault && after === 0) await raise(fault, directives, pacer)
  if (directives.refuse) {
    const detail = 'The sandbox was ordered to refuse.'
    throw new UpstreamError('content_refused', { status: 400, executed: false, detail })
  }
  if (bytes === 'wrong') return await answerPage(order, pacer)
  for (const piece of piecesOf(lines)) {
    if (hasFault && pacer.sent >= after) await raise(fault, directives, pacer)
    if (bytes === 'cut' && pacer.sent >= cutAfter) break
    const isFirst = pacer.sent === 0
    await pacer.next()
    if (isFirst) order.sink.begin({ encoding: 'pcm', rate: sampleRate, channels: 1, origin: provenance })
    await order.sink.write(bytesOf(piece))
  }
  // The text was over before its fault was due.
  if (hasFault) await raise(fault, directives, pacer)
  // Half a sample shows that more was to come.
  if (bytes === 'cut') await order.sink.write(new Uint8Array(1))
  const characters = lines.reduce((sum, { text }) => sum + [...text].length, 0)
  return omit === 'usage' ? {} : { usage: { characters } }
}

/** Answers with a web page, and fails as a real upstream's page of status 200 does. */
async function answerPage(order: AudioOrder, pacer: Pacer): Promise<never> {
  await pacer.next()
  const start = new SoundSniffer(order.format, order.sink)
  await start.write(Buffer.from(page))
  throw faultIn((await start.end()) ?? page, [])
}

interface VoicedLine {
  text: string
  voice: Voice
}

/** The texts with their voices, and the directives of all lines together. */
function readLines({ lines }: AudioOrder): { lines: VoicedLine[]; directives: Directives } {
  const directives: Directives = {}
  const read = lines.map(({ text, voice: wanted, instructions }) => {
    const found = readDirectives(text)
    Object.assign(directives, found.directives)
    const voice = voices.find(({ id }) => id === wanted)
    if (!voice) throw noVoice(wanted)
    return { text: found.text, voice: instructedVoice(voice, instructions) }
  })
  return { lines: read, directives }
}

function noVoice(voice: string): UpstreamError {
  const detail = `The sandbox has no voice "${voice}".`
  return new UpstreamError('invalid_request', { status: 400, executed: false, param: 'voice', detail })
}

function* piecesOf(lines: readonly VoicedLine[]): Generator<Int16Array> {
  for (const [index, { text, voice }] of lines.entries()) {
    if (index > 0) yield new Int16Array(gap)
    yield* speakTracked(text, voice)
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int16Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)
