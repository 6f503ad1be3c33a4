import type { RealtimeUsage } from '#core/spec'
import { claimedCount, isRecord } from '#providers/kit'

const countIn = (usage: Record<string, unknown>, ...names: string[]): number =>
  names.reduce((sum, name) => sum + (claimedCount(usage[name]) ?? 0), 0)

function byModality(list: unknown): { text: number; audio: number; image: number } {
  const counts = { text: 0, audio: 0, image: 0 }
  // A modality is listed once; there are six.
  for (const item of Array.isArray(list) ? list.slice(0, 20) : []) {
    if (!isRecord(item)) continue
    const count = claimedCount(item['tokenCount']) ?? 0
    if (item['modality'] === 'TEXT') counts.text += count
    else if (item['modality'] === 'IMAGE') counts.image += count
    // Sound, and every other modality that is dearer than text.
    else counts.audio += count
  }
  return counts
}

/**
 * The usage of a turn, from `usageMetadata`. Its totals exceed its details by 25 to 51 tokens a turn (discuss.ai.google.dev, topic 188765): the rest
 * counts as sound, the dearest.
 */
export function usageIn(usage: Record<string, unknown>): RealtimeUsage {
  const inputTokens = byModality(usage['promptTokensDetails'])
  const outputTokens = byModality(usage['responseTokensDetails'])
  const input = countIn(usage, 'promptTokenCount', 'toolUsePromptTokenCount')
  const output = countIn(usage, 'responseTokenCount')
  const cached = byModality(usage['cacheTokensDetails'])
  const cachedText = Math.min(cached.text, inputTokens.text)
  const cachedAudio = Math.min(cached.audio, inputTokens.audio)
  const rest = Math.max(0, input - inputTokens.text - inputTokens.audio - inputTokens.image)
  return {
    textInput: inputTokens.text - cachedText,
    audioInput: inputTokens.audio - cachedAudio + rest,
    imageInput: inputTokens.image,
    cachedTextInput: cachedText,
    cachedAudioInput: cachedAudio,
    textOutput: outputTokens.text + countIn(usage, 'thoughtsTokenCount'),
    audioOutput:
      outputTokens.audio +
      outputTokens.image +
      Math.max(0, output - outputTokens.text - outputTokens.audio - outputTokens.image),
  }
}
