import { encodeWhole, type Sound } from '#core/sound'
import { nextTurn } from '#platform/slices'
import { sampleRate, voices } from './speech/speech.ts'
import { speakTracked } from './track/write.ts'
import { analyseRecording } from './transcribe/hear.ts'

let warming: Promise<void> | undefined

/**
 * Speaks a few words and hears them, once in a process: code that runs for the first time takes several times as long, and tables are made. In pieces,
 * between which others have their turn. Never rejects.
 */
export function warmSound(): Promise<void> {
  warming ??= speakAndHear().catch(() => undefined)
  return warming
}

async function speakAndHear(): Promise<void> {
  const sound: Sound[] = []
  for (const piece of speakTracked('سلام، چه می‌خواهید بگویید؟', voices[0]!)) {
    sound.push({ rate: sampleRate, samples: Float32Array.from(piece, (sample) => sample / 32_768) })
    await nextTurn()
  }
  const { bytes, seconds } = await encodeWhole(sound, { format: 'wav', rate: sampleRate, maxBytes })
  await analyseRecording({ bytes, mediaType: 'audio/wav', name: 'warm.wav', seconds })
}

const maxBytes = 1024 * 1024
