import { randomUUID } from 'node:crypto'
import type { TextCall, TextProvider, Timeouts } from '#core/spec'
import { UpstreamError } from '#core/spec'
import type { AnswerPart, Turn } from '#core/turn'
import { chatCompletionsProvider } from '#providers/chat-completions'
import { generated } from '../harness/parts.ts'
import type { FakeUpstream } from '../harness/upstream.ts'

/** None of these is over before a fake has answered, however slow the machine is. */
export const patient: Timeouts = {
  connectMs: 60_000,
  firstByteMs: 60_000,
  firstTokenMs: 60_000,
  idleMs: 60_000,
  totalMs: 120_000,
}

/** A turn that came by chat with this body. */
export function chatTurn(body: Record<string, unknown> = {}, more: Partial<Turn> = {}): Turn {
  return {
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hello there' }] }],
    tools: [],
    toolChoice: { type: 'auto' },
    parallelToolCalls: true,
    output: { type: 'text' },
    maxOutputTokens: 64,
    stop: [],
    stream: true,
    source: { wire: 'chat', body: { messages: [{ role: 'user', content: 'hello there' }], ...body } },
    ...more,
  }
}

export function callOf(turn: Turn, more: Partial<TextCall> = {}): TextCall {
  return {
    turn,
    upstreamModel: 'upstream-model',
    timeouts: patient,
    attemptId: randomUUID(),
    ...more,
  }
}

export function providerOf(
  upstream: FakeUpstream,
  more: { apiKey?: string; headers?: Record<string, string> } = {},
) {
  return chatCompletionsProvider({ id: 'fake', baseUrl: upstream.url, ...more })
}

export interface Heard {
  parts: AnswerPart[]
  error: UpstreamError | undefined
}

/** Everything a call yields, and the failure it ends with. A failure that is no `UpstreamError` fails the test. */
export async function hear(provider: TextProvider, call: TextCall, signal?: AbortSignal): Promise<Heard> {
  const parts: AnswerPart[] = []
  try {
    for await (const part of generated(provider, call, signal)) parts.push(part)
    return { parts, error: undefined }
  } catch (error) {
    if (error instanceof UpstreamError) return { parts, error }
    throw error
  }
}

export const textOf = (parts: AnswerPart[]) =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
export const reasoningOf = (parts: AnswerPart[]) =>
  parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('')
export const finishOf = (parts: AnswerPart[]) =>
  parts.flatMap((part) => (part.type === 'finish' ? [part.reason] : []))
export const usageOf = (parts: AnswerPart[]) =>
  parts.flatMap((part) => (part.type === 'usage' ? [part.usage] : []))

/** The tool calls put together by index, as a server codec would. */
export function toolCallsOf(parts: AnswerPart[]): { id: string; name: string; arguments: string }[] {
  const calls: { id: string; name: string; arguments: string }[] = []
  for (const part of parts) {
    if (part.type === 'tool-call') {
      if (part.index !== calls.length) throw new Error(`call ${part.index} came out of order`)
      calls.push({ id: part.id, name: part.name, arguments: '' })
    }
    if (part.type === 'tool-arguments') {
      const call = calls[part.index]
      if (!call) throw new Error(`arguments of an unknown call ${part.index}`)
      call.arguments += part.delta
    }
  }
  return calls
}

/** An event of a wire whose events are named by their type. */
export type Event = Record<string, unknown> & { type: string }

export const sse = (event: Event): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** Parts by their neutral meaning alone. */
export const meaningOf = (parts: readonly AnswerPart[]): AnswerPart[] =>
  parts.flatMap((part) => {
    if (part.type === 'extra') return []
    const { extra: _, ...meaning } = part
    return [meaning as AnswerPart]
  })

/** The events that rode on the parts. */
export const eventsOf = (parts: readonly AnswerPart[]): unknown[] =>
  parts.flatMap(({ extra }) => (extra?.event ? [extra.event] : []))
