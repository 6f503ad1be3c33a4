/** The messages that are sent to the upstream. */

import type { RealtimeCall, RealtimeInput } from '#core/spec'
import { readExactly } from '#platform/json'
import { base64Of, isRecord, type UpstreamEvent } from '#providers/kit'

export function setupOf({ upstreamModel, setup, resumption }: RealtimeCall): UpstreamEvent {
  const { instructions, voice, speaks, tools, maxOutputTokens, maxInputTokens, transcription } = setup
  const speech = voice !== undefined && {
    speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
  }
  return {
    setup: {
      model: upstreamModel.startsWith('models/') ? upstreamModel : `models/${upstreamModel}`,
      generationConfig: {
        responseModalities: [speaks ? 'AUDIO' : 'TEXT'],
        maxOutputTokens,
        ...(speaks && speech),
      },
      ...(instructions !== '' && { systemInstruction: { parts: [{ text: instructions }] } }),
      ...(tools.length > 0 && {
        tools: [
          {
            functionDeclarations: tools.map(({ name, description, parameters }) => ({
              name,
              description,
              parametersJsonSchema: parameters,
            })),
          },
        ],
      }),
      realtimeInputConfig: {
        automaticActivityDetection: { disabled: true },
        activityHandling: 'START_OF_ACTIVITY_INTERRUPTS',
      },
      ...(transcription && { inputAudioTranscription: {} }),
      ...(speaks && { outputAudioTranscription: {} }),
      sessionResumption: resumption === undefined ? {} : { handle: resumption },
      contextWindowCompression: {
        triggerTokens: maxInputTokens,
        slidingWindow: { targetTokens: Math.ceil(maxInputTokens * retention) },
      },
    },
  }
}

/** The part of the context that stays when older turns are left out. */
const retention = 0.8

export const activityStart: UpstreamEvent = { realtimeInput: { activityStart: {} } }
export const activityEnd: UpstreamEvent = { realtimeInput: { activityEnd: {} } }

export const soundInput = (pcm: Uint8Array): UpstreamEvent => ({
  realtimeInput: { audio: { data: base64Of(pcm), mimeType: 'audio/pcm;rate=16000' } },
})

export const textInput = (text: string): UpstreamEvent => ({ realtimeInput: { text } })

/** Earlier items, in words and pictures; with `turnComplete` the model answers them. */
export const contentInput = (items: readonly ContentItem[], turnComplete: boolean): UpstreamEvent => ({
  clientContent: { turns: items.map(turnOf), turnComplete },
})

export type ContentItem = Exclude<RealtimeInput, { type: 'function_result' }>

function turnOf(item: ContentItem): UpstreamEvent {
  if (item.type === 'message')
    return { role: item.role === 'assistant' ? 'model' : 'user', parts: [{ text: item.text }] }
  if (item.type === 'function_call')
    return {
      role: 'model',
      parts: [{ functionCall: { id: item.callId, name: item.name, args: recordIn(item.arguments) } }],
    }
  const comma = item.dataUrl.indexOf(',')
  const mimeType = item.dataUrl.slice('data:'.length, comma).split(';', 1)[0]
  const data = item.dataUrl.slice(comma + 1)
  return { role: 'user', parts: [{ inlineData: { mimeType, data } }] }
}

export const toolResponse = (
  results: readonly Extract<RealtimeInput, { type: 'function_result' }>[],
): UpstreamEvent => ({
  toolResponse: {
    functionResponses: results.map(({ callId, name, output }) => ({
      id: callId,
      name,
      response: { output: recordIn(output, output) },
    })),
  },
})

function recordIn(text: string, otherwise: unknown = {}): unknown {
  try {
    const value = readExactly(text)
    return isRecord(value) ? value : otherwise
  } catch {
    return otherwise
  }
}
