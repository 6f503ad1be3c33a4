import { sniff } from '#engine/media'
import type { SoundFormat } from '#engine/turn'
import { decodeBase64InSlices } from '#platform/bytes'
import { mediaAsk, type UpstreamClient, wholeSoundBytes } from '#providers/kit'
import { type AudioCall, type Spoken, UpstreamError } from '#providers/spec'
import { contentOf, type Data, malformed } from './answer.ts'

/** Bytes that are given to the sink at a time. */
const sliceBytes = 256 * 1024
const usualRate = 24_000

/** One voice, or a dialogue of two. The sound comes in one piece, as samples or WAV whatever was asked for. */
export async function speak(client: UpstreamClient, call: AudioCall): Promise<Spoken> {
  const path = `/models/${encodeURIComponent(call.upstreamModel)}:generateContent`
  const answer = await client.json(mediaAsk(call, path, bodyOf(call)), wholeSoundBytes)
  const { data, usage } = contentOf(answer, 'sound', client.secrets)
  if (data.length > 1) throw malformed('an answer of several sounds')
  const bytes = await decodeBase64InSlices(data[0]!.base64)
  if (!bytes || bytes.length === 0) throw malformed('sound that is not Base64')
  await give(bytes, formatOf(data[0]!, bytes), call)
  return usage ? { usage } : {}
}

async function give(bytes: Uint8Array, format: SoundFormat, { order, signal }: AudioCall): Promise<void> {
  order.sink.begin(format)
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    if (signal.aborted) throw new UpstreamError('aborted', { executed: true })
    await order.sink.write(bytes.subarray(at, at + sliceBytes))
  }
}

/** `audio/L16;codec=pcm;rate=24000` is signed 16-bit little-endian, one channel. */
function formatOf({ mediaType }: Data, bytes: Uint8Array): SoundFormat {
  const type = mediaType.toLowerCase()
  if (/^audio\/(l16|pcm)\b/.test(type)) {
    if (bytes.length % 2 !== 0) throw malformed('half a sample')
    const rate = Number(/;\s*rate=(\d{4,6})\b/.exec(type)?.[1] ?? usualRate)
    return { encoding: 'pcm', rate, channels: 1 }
  }
  if (sniff(bytes) === 'audio/wav') return { encoding: 'wav' }
  throw malformed('sound of no known type')
}

function bodyOf({ order }: AudioCall): Record<string, unknown> {
  const { lines, question, language } = order
  const [line] = lines
  if (!line || question) throw unable('This wire speaks texts and answers no recordings.')
  const voices = [...new Set(lines.map(({ voice }) => voice))]
  if (voices.length > 2) throw unable('This wire speaks with two voices at most.')
  const isDialogue = voices.length === 2
  const speaker = (voice: string): string => `Speaker${voices.indexOf(voice) + 1}`
  const text = isDialogue
    ? lines.map((one) => `${speaker(one.voice)}: ${one.text.replace(/\s+/g, ' ')}`).join('\n')
    : lines.map((one) => one.text).join('\n')
  const { instructions } = line
  const speechConfig = isDialogue
    ? {
        multiSpeakerVoiceConfig: {
          speakerVoiceConfigs: voices.map((voice) => ({
            speaker: speaker(voice),
            voiceConfig: voiceOf(voice),
          })),
        },
      }
    : { voiceConfig: voiceOf(line.voice) }
  return {
    contents: [
      { role: 'user', parts: [{ text: instructions === undefined ? text : `${instructions}:\n${text}` }] },
    ],
    generationConfig: {
      responseModalities: ['AUDIO'],
      speechConfig: { ...speechConfig, ...(language !== undefined && { languageCode: language }) },
    },
  }
}

const voiceOf = (voiceName: string) => ({ prebuiltVoiceConfig: { voiceName } })

const unable = (detail: string): UpstreamError =>
  new UpstreamError('invalid_request', { executed: false, detail })
