/** The caller's turns as the client sees them: the same events and items with every engine. */
import type { Failure, Language } from '#platform/errors'
import { errorObject, newId } from '../events/server-events.ts'
import type { CallView, ConversationItem } from '../parts.ts'
import type { CallerTurn } from '../turns/turn-listener.ts'

const transcription = 'conversation.item.input_audio_transcription'
const samplesPerSecond = 16_000

export class UserTurns {
  readonly #call: CallView
  #itemId = newId('item')

  constructor(call: CallView) {
    this.#call = call
  }

  /** The item of the present turn, or of the next one. */
  get itemId(): string {
    return this.#itemId
  }

  began(startMs: number): void {
    this.#itemId = newId('item')
    this.continueTurn(startMs)
  }

  /** Call when a turn that seemed over goes on: the speech from here on gets another item. */
  continueTurn(startMs: number): void {
    this.#emit('input_audio_buffer.speech_started', { audio_start_ms: startMs, item_id: this.#itemId })
  }

  /** Ends the turn and adds its item, which has no words yet. */
  ended({ endMs }: CallerTurn): ConversationItem {
    const { conversation, session } = this.#call
    const id = this.#itemId
    this.#itemId = newId('item')
    if (session.turnDetection)
      this.#emit('input_audio_buffer.speech_stopped', { audio_end_ms: endMs, item_id: id })
    const previous = conversation.items.at(-1)?.id ?? null
    this.#emit('input_audio_buffer.committed', { previous_item_id: previous, item_id: id })
    const item: ConversationItem = {
      id,
      type: 'message',
      status: 'completed',
      role: 'user',
      content: [{ type: 'input_audio', transcript: null }],
    }
    conversation.add(item)
    conversation.done(id)
    return item
  }

  /** @param samples how many samples were transcribed, where that is known */
  transcribed(item: ConversationItem, text: string, samples?: number): void {
    item.content = [{ type: 'input_audio', transcript: text }]
    this.#emit(`${transcription}.completed`, {
      ...{ item_id: item.id, content_index: 0, transcript: text },
      ...(samples !== undefined && {
        usage: { type: 'duration', seconds: Math.ceil(samples / samplesPerSecond) },
      }),
    })
  }

  transcriptionFailed({ id }: ConversationItem, failure: Failure, language: Language): void {
    this.#emit(`${transcription}.failed`, {
      ...{ item_id: id, content_index: 0 },
      error: errorObject(failure, language),
    })
  }

  #emit(type: string, fields: Record<string, unknown>): void {
    this.#call.emit({ type, ...fields })
  }
}
