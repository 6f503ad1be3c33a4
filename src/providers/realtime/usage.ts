import type { RealtimeUsage } from '#core/spec'
import { claimedCount, isRecord } from '#providers/kit'

const countIn = (record: unknown, name: string): number =>
  (isRecord(record) ? claimedCount(record[name]) : undefined) ?? 0

/** The tokens that details do not explain, all of which are taken for the dearest kind: sound. */
const unexplained = (total: number, ...known: number[]): number =>
  Math.max(0, total - known.reduce((sum, count) => sum + count, 0))

/** The `usage` of response.done; undefined where it says nothing. */
export function usageIn(usage: unknown): RealtimeUsage | undefined {
  if (!isRecord(usage) || claimedCount(usage['input_tokens'] ?? usage['output_tokens']) === undefined)
    return undefined
  const [heard, said] = [usage['input_token_details'], usage['output_token_details']]
  const [text, audio, image] = ['text_tokens', 'audio_tokens', 'image_tokens'].map((name) =>
    countIn(heard, name),
  )
  const cached = countIn(heard, 'cached_tokens')
  const details = isRecord(heard) ? heard['cached_tokens_details'] : undefined
  const cachedAudio = Math.min(countIn(details, 'audio_tokens'), audio!)
  const cachedText = Math.min(Math.max(cached - cachedAudio, 0), text!)
  const [textOut, audioOut] = ['text_tokens', 'audio_tokens'].map((name) => countIn(said, name))
  return {
    textInput: text! - cachedText,
    audioInput: audio! - cachedAudio + unexplained(countIn(usage, 'input_tokens'), text!, audio!, image!),
    imageInput: image!,
    cachedTextInput: cachedText,
    cachedAudioInput: cachedAudio,
    textOutput: textOut!,
    audioOutput: audioOut! + unexplained(countIn(usage, 'output_tokens'), textOut!, audioOut!),
  }
}
